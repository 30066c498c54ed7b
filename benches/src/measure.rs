//! Interleaved rounds, and what is told of them.

use std::sync::Barrier;
use std::time::Instant;

use rustix::time::{ClockId, clock_gettime};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rounds that count; two more warm up.
    pub rounds: usize,
    /// Decisions of a contestant in a round, on each thread.
    pub operations: usize,
    /// Tables for more keys than this are left out.
    pub most_keys: usize,
}

/// Nanoseconds a decision, sorted: one for each round.
#[derive(Clone, Debug)]
pub struct Samples(Vec<f64>);

/// The time that a stretch of work took.
#[derive(Clone, Copy, Debug)]
struct Took {
    /// Of a thread's processor.
    busy: f64,
    /// Of the clock on the wall.
    passed: f64,
}

const WARM_UP: usize = 2;

/// Tries for a round in which nobody else wanted the processor.
const TRIES: usize = 4;

impl Samples {
    /// The middle one.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The sample that this part of all are not above.
    pub fn quantile(&self, part: f64) -> f64 {
        // To the nearest.
        self.0[((self.0.len() - 1) as f64 * part).round() as usize]
    }
}

/// Measures all contestants in turns, and begins each round with another of them.
pub fn rounds(effort: &Effort, contestants: &mut [&mut dyn FnMut(usize) -> f64]) -> Vec<Samples> {
    let mut samples = vec![Vec::with_capacity(effort.rounds); contestants.len()];
    for round in 0..effort.rounds + WARM_UP {
        for turn in 0..contestants.len() {
            let contestant = (round + turn) % contestants.len();
            let sample = contestants[contestant](round);
            if round >= WARM_UP {
                samples[contestant].push(sample);
            }
        }
    }
    let sorted = |mut samples: Vec<f64>| {
        samples.sort_by(f64::total_cmp);
        Samples(samples)
    };
    samples.into_iter().map(sorted).collect()
}

/// Nanoseconds a decision of `run` over the part of `sequence` that is this round's turn, on each of
/// `threads` threads at once over parts of their own.
pub fn pass<K: Sync>(
    threads: usize,
    operations: usize,
    round: usize,
    sequence: &[K],
    run: &(dyn Fn(&[K]) -> usize + Sync),
) -> f64 {
    let parts: Vec<&[K]> = (0..threads).map(|thread| part(sequence, operations, round * threads + thread)).collect();
    let mut least = f64::INFINITY;
    for _ in 0..TRIES {
        let took = at_once(&parts, operations, run);
        // Of a thread that was moved off the processor, neither time nor cache is its own.
        if took.iter().all(|took| took.passed <= took.busy * 1.03) {
            return mean(&took, operations);
        }
        least = least.min(mean(&took, operations));
    }
    least
}

/// Nanoseconds a decision of work that is done once: no second try.
pub fn once(operations: usize, run: impl FnOnce()) -> f64 {
    stopwatch(run).busy / operations as f64
}

fn mean(took: &[Took], operations: usize) -> f64 {
    took.iter().map(|took| took.busy).sum::<f64>() / took.len() as f64 / operations as f64
}

/// The part of a sequence, taken as a circle of parts, whose turn it is; all of it where it is shorter.
fn part<K>(sequence: &[K], operations: usize, turn: usize) -> &[K] {
    let length = operations.min(sequence.len());
    let parts = sequence.len() / length;
    &sequence[turn % parts * length..][..length]
}

fn at_once<K: Sync>(parts: &[&[K]], operations: usize, run: &(dyn Fn(&[K]) -> usize + Sync)) -> Vec<Took> {
    let start = Barrier::new(parts.len());
    let work = |part: &[K]| {
        start.wait();
        stopwatch(|| {
            let mut left = operations;
            while left > 0 {
                let length = left.min(part.len());
                std::hint::black_box(run(&part[..length]));
                left -= length;
            }
        })
    };
    let [first, others @ ..] = parts else { return Vec::new() };
    std::thread::scope(|scope| {
        let others: Vec<_> = others.iter().map(|part| scope.spawn(|| work(part))).collect();
        let mut took = vec![work(first)];
        took.extend(others.into_iter().map(|other| other.join().expect("a contestant panicked")));
        took
    })
}

fn stopwatch(run: impl FnOnce()) -> Took {
    let (clock, busy) = (Instant::now(), busy_nanos());
    run();
    Took { busy: busy_nanos() - busy, passed: clock.elapsed().as_secs_f64() * 1e9 }
}

/// Nanoseconds that this thread has had the processor.
fn busy_nanos() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_few_samples() {
        let samples = Samples(vec![1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!((samples.median(), samples.quantile(0.1), samples.quantile(0.9)), (3.0, 1.0, 5.0));
    }

    #[test]
    fn parts_go_round() {
        let sequence = [0, 1, 2, 3, 4];
        assert_eq!([0, 1, 2].map(|turn| part(&sequence, 2, turn)), [&[0, 1], &[2, 3], &[0, 1]]);
        assert_eq!(part(&sequence, 9, 7), sequence);
    }

    #[test]
    fn every_thread_makes_all_its_decisions() {
        let made = std::sync::atomic::AtomicUsize::new(0);
        let count = |keys: &[u64]| made.fetch_add(keys.len(), std::sync::atomic::Ordering::Relaxed);
        let took = at_once(&[&[1, 2, 3], &[4, 5, 6]], 7, &count);
        assert_eq!((took.len(), made.into_inner()), (2, 14));
    }
}
