//! A campaign over MPI ranks, and one search over several of them.
//!
//! Every rank plans the same campaign. Rank 0 hands out cells, keeps the journal and takes no sample; the others take
//! them. A cell on several ranks is one search: rank 0 hands out the numbers of its subproblems and relays rises of
//! its incumbent. If a rank dies, the launcher ends the job; the same command then takes the samples that the journal
//! lacks.
//!
//! | module | owns |
//! |---|---|
//! | `message` | the messages between ranks |
//! | `post` | the thread that makes all calls of MPI |
//! | `leader` | rank 0: an [`Executor`](crate::execute::Executor) whose samples are taken by other ranks |
//! | `united` | the sample of a search, from those of its ranks |
//! | `member` | the other ranks |

mod leader;
mod member;
mod message;
mod post;
mod united;

use std::time::Instant;

use anyhow::{Result, bail};
use ikeru_bench_data::Mode;

use crate::campaign::{Campaign, CampaignResult};
use crate::machine;
use leader::Leader;
use message::RankMessage;
use post::Post;

/// Carries out the campaign on the ranks of the world. `None` on all ranks but 0, at the end of the campaign.
///
/// # Errors
/// No world, or one that the launcher did not promise; a stage that is timed; errors of the campaign on rank 0, after
/// which the other ranks are ended.
pub fn measure(campaign: &mut Campaign) -> Result<Option<CampaignResult>> {
    check(campaign)?;
    let post = Post::begin()?;
    if let Err(error) = check_world(&post, campaign) {
        // Every rank finds the same error.
        post.leave();
        return Err(error);
    }
    if post.rank > 0 {
        member::serve(&post, campaign)?;
        post.leave();
        return Ok(None);
    }
    let messages = ("messages".to_owned(), time_of_messages(&post)?);
    campaign.take_jobs(post.size - 1, oversubscribed(), [messages]);
    let leader = Leader::new(&post);
    let measured = campaign.run_with(&leader, |_| Ok(()));
    match &measured {
        Ok(_) => {
            leader.end();
            post.leave();
        }
        Err(error) => {
            let code = crate::told(error);
            post.abort(code);
        }
    }
    measured.map(Some)
}

/// Refuses modes that ranks cannot run.
fn check(campaign: &Campaign) -> Result<()> {
    let mut stages = campaign.plan.stages.iter();
    if stages.any(|stage| stage.mode != Mode::Contended) {
        bail!(
            "--on mpi needs --mode contended: ranks share their nodes (isolated cells are timed by `ikeru cluster submit slurm`, modelled ranks need no MPI)"
        );
    }
    Ok(())
}

/// Refuses a world that is not what the launcher promised, or too small.
fn check_world(post: &Post, campaign: &Campaign) -> Result<()> {
    let size = post.size;
    if let Some((variable, promised)) = ikeru_mpi::promised(|name| std::env::var(name).ok())
        && promised != size
    {
        bail!(
            "the launcher promised {promised} ranks ({variable}), MPI sees {size}: launcher and library do not know each other; \
             use the launcher of the library, or name its library by IKERU_MPI_LIBRARY"
        );
    }
    if size < 2 {
        bail!("--on mpi needs two ranks or more: mpirun -n 4 ikeru run …");
    }
    let cells = campaign.plan.stages.iter().flat_map(|stage| &stage.cells);
    let most = cells.map(|cell| cell.ranks).max().unwrap_or(1);
    let searching = size - 1;
    if most as usize > searching {
        bail!("--ranks {most}, but {searching} ranks search (rank 0 hands out)");
    }
    Ok(())
}

/// Messages that are echoed one by one.
const ROUND_TRIPS: usize = 50;
/// Messages that are sent at once.
const BURST: u32 = 1000;

/// The time of messages on this machine, in words: the median time one way, and rank 0's time for each message of a
/// burst.
fn time_of_messages(post: &Post) -> Result<String> {
    let mut trips = Vec::new();
    for _ in 0..ROUND_TRIPS {
        let began = Instant::now();
        post.send(1, RankMessage::Echo);
        post.receive()?;
        trips.push(began.elapsed());
    }
    trips.sort();
    let one_way = trips[ROUND_TRIPS / 2] / 2;
    let began = Instant::now();
    (0..BURST).for_each(|_| post.send(1, RankMessage::Echo));
    for _ in 0..BURST {
        post.receive()?;
    }
    // Each message of the burst was sent and received.
    let each = began.elapsed() / (2 * BURST);
    let [one_way, each] = [one_way, each].map(|time| time.as_secs_f64() * 1e6);
    Ok(format!(
        "{one_way:.1} µs one way, rank 0 takes {each:.1} µs for each"
    ))
}

/// The reason for doubt if the launcher started more ranks on this node than it has cores.
fn oversubscribed() -> Option<String> {
    let mut known = ["MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE"].iter();
    let ranks: usize = known.find_map(|name| std::env::var(name).ok()?.parse().ok())?;
    let cores = std::thread::available_parallelism().ok()?.get();
    let node = machine::place().node;
    (ranks > cores).then(|| {
        format!("{ranks} ranks on the {cores} cores of {node}: times show the oversubscription")
    })
}

/// Returns whether this process is a rank other than 0. Only rank 0 prints errors.
pub fn is_silent() -> bool {
    let known = ["PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"];
    let mut ranks = known.iter().filter_map(|name| std::env::var(name).ok());
    ranks.next().is_some_and(|rank| rank != "0")
}
