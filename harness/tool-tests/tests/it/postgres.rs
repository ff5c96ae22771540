//! Several `moot mock` with one PostgreSQL. Nodes are killed, stopped and disconnected while clients write.
//!
//! The binary must have the feature `postgres`. The lab is short here; `bench/run failures` repeats it
//! hundreds of times.

mod balancer;
mod call;
mod clients;
mod lab;
mod nodes;
mod proxy;
mod refusals;
mod under_way;
