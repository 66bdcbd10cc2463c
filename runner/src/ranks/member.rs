//! The ranks that take samples: alone, or with others in one search.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use ikeru_core::{AnyInstance, BoundPolicy, Incumbent, Team};
use ikeru_reports::records::{Outcome, Sample};

use super::message::RankMessage;
use super::post::Post;
use crate::campaign::Campaign;
use crate::execute::{Executor, PerStage, Phase, Task, Watch};
use crate::plan::{Cell, Stage};
use crate::{interrupt, machine};

/// Takes the samples that rank 0 requests, until no sample is left.
///
/// # Errors
/// The thread of MPI ended.
pub(super) fn serve(post: &Post, campaign: &Campaign) -> Result<()> {
    interrupt::listen()?;
    let stages = campaign.plan.stages.iter();
    let cells = stages.flat_map(|stage| stage.cells.iter().map(move |cell| (stage, cell)));
    let key = |(stage, cell): (&Stage, &Cell)| (stage.experiment.clone(), cell.id.to_string());
    let cells: HashMap<_, _> = cells.map(|place| (key(place), place)).collect();
    let executor = PerStage::default();
    let node = machine::place().node;
    loop {
        let (key, number, size) = match post.receive()? {
            RankMessage::Take {
                experiment,
                cell,
                number,
                size,
            } => ((experiment, cell), number, size),
            RankMessage::Echo => {
                post.send(0, RankMessage::Echo);
                continue;
            }
            RankMessage::End => return Ok(()),
            _ => continue,
        };
        let taken = match cells.get(&key) {
            None => {
                let (experiment, cell) = key;
                Err(anyhow::anyhow!(
                    "the ranks plan different cells: {experiment} {cell}"
                ))
            }
            Some((stage, cell)) => match cell.input.base.ask(&cell.question) {
                Err(error) => Ok(Sample::failed(Outcome::Skipped, error.message)),
                Ok(question) if size == 1 => {
                    executor.sample(stage, cell, question.as_ref(), &mut None)
                }
                Ok(question) => together(post, (stage, cell), question.as_ref(), (number, size)),
            },
        };
        let answer = match taken {
            Ok(mut sample) => {
                sample.node = Some(node.clone());
                RankMessage::Taken(Box::new(sample))
            }
            Err(error) => RankMessage::Mistake(format!("{error:#}")),
        };
        post.send(0, answer);
    }
}

/// This rank's part of a search: one answer, without warm-up, begun when all ranks are prepared.
fn together(
    post: &Post,
    (stage, cell): (&Stage, &Cell),
    question: &dyn AnyInstance,
    (number, size): (usize, usize),
) -> Result<Sample> {
    let incumbent = Arc::new(Incumbent::new(stage.problem.direction()));
    let member = RankMember { post, number, size };
    let task = Task {
        sample: Duration::ZERO,
        warm_up: Duration::ZERO,
        ..Task::of(stage, cell)
    };
    let watch = Watch {
        incumbent: &incumbent,
        begins: &|phase| match phase {
            Phase::Answering => {
                post.send(0, RankMessage::Ready);
                // The next message can only be `Go`.
                let _ = post.receive();
                if cell.bound_policy == BoundPolicy::Shared {
                    post.watch(Some(Arc::clone(&incumbent)));
                }
            }
            Phase::Refereeing => {
                post.watch(None);
                post.send(0, RankMessage::Solved);
            }
            Phase::Starting | Phase::Preparing => {}
        },
        stop: interrupt::flag(),
        team: Some(&member),
    };
    let sample = task.sample(question, &mut None, &watch);
    post.watch(None);
    sample
}

/// The team as this rank sees it.
#[derive(Debug)]
struct RankMember<'a> {
    post: &'a Post,
    number: usize,
    size: usize,
}

impl Team for RankMember<'_> {
    fn size(&self) -> usize {
        self.size
    }

    fn number(&self) -> usize {
        self.number
    }

    fn next(&self) -> usize {
        self.post.send(0, RankMessage::Want);
        match self.post.receive() {
            Ok(RankMessage::Next(number)) => number,
            // Without rank 0 no subproblem is left.
            _ => usize::MAX,
        }
    }
}
