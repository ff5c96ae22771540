//! The cost of a call in worlds of three sizes, and the memory of a row and a sandbox: `scale [ROWS…]`.
//!
//! Everything is in process and on one thread, so that only the core is measured.

#[path = "scale/client.rs"]
mod client;
#[path = "scale/held.rs"]
mod held;

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Instant;

use client::{Client, memory_bytes, processor_time};
use moot_fixtures::{answers, world};
use moot_mock::settings::{ClockSetting, Progression, RateLimitMode};
use moot_mock::{SeedData, Service, Settings, World};

/// A world holds at most a million requests. The largest size leaves room for creations.
const ROWS: [u32; 3] = [100, 10_000, 990_000];
const SANDBOXES: u32 = 10_000;
const ADDRESSES: u32 = 1_000_000;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let asked: Result<Vec<u32>, _> = std::env::args().skip(1).map(|rows| rows.parse()).collect();
    let asked = asked?;
    let sizes = if asked.is_empty() { ROWS.to_vec() } else { asked };
    // Memory first: memory that was freed earlier would be used again and not be counted.
    sandboxes()?;
    addresses()?;
    println!("\n| figure | {} |", heads(&sizes));
    println!("|{}", "---|".repeat(sizes.len() + 1));
    let columns: Vec<Vec<(&str, String)>> =
        sizes.iter().map(|&rows| of_size(rows)).collect::<Result<_, _>>()?;
    for row in 0..columns.first().map_or(0, Vec::len) {
        let cells: Vec<&str> = columns.iter().map(|column| column[row].1.as_str()).collect();
        println!("| {} | {} |", columns[0][row].0, cells.join(" | "));
    }
    Ok(())
}

fn heads(sizes: &[u32]) -> String {
    let heads: Vec<String> = sizes.iter().map(|rows| format!("{rows} requests")).collect();
    heads.join(" | ")
}

/// The figures of a world with this many legal requests, each with its name.
fn of_size(rows: u32) -> Result<Vec<(&'static str, String)>, Failure> {
    let settings = settings("bench", rows)?;
    let (before, begun, worked) = (memory_bytes(), Instant::now(), processor_time());
    let run = settings.run();
    let service = Service::new(World::new(settings)?);
    let (loading, work) = (begun.elapsed(), processor_time().saturating_sub(worked));
    let held = memory_bytes().saturating_sub(before);
    let beside = World::from_seed_data(service.seed_data(), run)?;
    let mut client = Client::new(service)?;
    let (last, filtered_last) = (client.pages("")?, client.pages("&status=signed")?);
    let mut figures = vec![
        ("loading", format!("{:.0} ms", loading.as_secs_f64() * 1e3)),
        ("loading, time of a processor", format!("{:.0} ms", work.as_secs_f64() * 1e3)),
        ("memory a request", format!("{} bytes", held / u64::from(rows))),
    ];
    let lists = [
        ("first page", "page=1".to_owned()),
        ("middle page", format!("page={}", last.div_ceil(2))),
        ("last page", format!("page={last}")),
        ("first page of a status", "page=1&status=signed".to_owned()),
        ("last page of a status", format!("page={filtered_last}&status=signed")),
    ];
    for (name, query) in lists {
        figures.push((name, client.time(|client, _| client.list(&query))?));
    }
    let ids = client.ids(&format!("page={}", last.div_ceil(2)))?;
    let id = |turn: usize| ids[turn % ids.len()].as_str();
    figures.push(("get", client.time(|client, turn| client.get(id(turn)))?));
    figures.push(("create", client.time(|client, _| client.create())?));
    figures.push(("status change", client.time(|client, turn| client.change(id(turn), turn))?));
    figures.extend(held::figures(beside, &client, id(0))?);
    Ok(figures)
}

/// Sandboxes that share their seed rows.
fn sandboxes() -> Result<(), Failure> {
    let settings = settings("demo", 0)?;
    let run = settings.run();
    let seed_data = Arc::new(SeedData::new(&settings.seed_world, settings.answers)?);
    let (before, begun) = (memory_bytes(), Instant::now());
    let worlds: Result<Vec<Service>, _> = (0..SANDBOXES)
        .map(|_| World::from_seed_data(seed_data.clone(), run.clone()).map(Service::new))
        .collect();
    let worlds = worlds?;
    let each = begun.elapsed() / SANDBOXES;
    let held = memory_bytes().saturating_sub(before);
    println!(
        "{} sandboxes of the demo world: {:.1} µs each, {:.1} MiB in all",
        worlds.len(),
        each.as_secs_f64() * 1e6,
        held as f64 / f64::from(1 << 20)
    );
    Ok(())
}

/// Calls from many addresses. The limiter's memory is bounded.
fn addresses() -> Result<(), Failure> {
    let service = Service::new(World::new(settings("bench", 0)?)?);
    let mut client = Client::new(service)?;
    let (before, begun) = (memory_bytes(), Instant::now());
    for address in 0..ADDRESSES {
        client.address = IpAddr::V4(Ipv4Addr::from_bits(address));
        client.admit();
    }
    let each = begun.elapsed() / ADDRESSES;
    let held = memory_bytes().saturating_sub(before);
    println!(
        "{ADDRESSES} client addresses: {:.2} µs an admission, {:.1} MiB more in all",
        each.as_secs_f64() * 1e6,
        held as f64 / f64::from(1 << 20)
    );
    Ok(())
}

fn settings(name: &str, rows: u32) -> Result<Settings, Failure> {
    let mut seed_world = world::named(name).ok_or("no such world")?.clone();
    if let Some(company) = seed_world.companies.first_mut().filter(|_| rows > 0) {
        company.generated_legal_requests = rows;
    }
    Ok(Settings {
        seed: 1,
        base_url: "http://127.0.0.1:4010".to_owned(),
        answers: answers::default().clone(),
        seed_world: Arc::new(seed_world),
        clock: ClockSetting::Real,
        rate_limit: RateLimitMode::Enforce,
        progression: Progression::Manual,
    })
}
