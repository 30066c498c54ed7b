//! How the engine works and why that can be believed.
