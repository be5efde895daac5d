import type { HeldOutResult, Idea, ImprovementStep } from '../../domain/improvement.ts';
import { compareCollected } from '../../report/compare/compare-sides.ts';
import { compareHeldOut, heldOutRepeats, improvedFigure } from '../../report/compare/held-out.ts';
import { pairCases } from '../../report/compare/pair-cases.ts';
import { collectSidesBy } from '../../report/compare/side-collector.ts';
import { storedSource } from '../../report/compare/stored-source.ts';
import { counted } from '../../shared/format.ts';
import type { ProjectRun } from '../run/run-project.ts';
import { type ImprovementContext, ImprovementStop } from './improvement-context.ts';
import { effortByArm } from './observed-failures.ts';
import { stageScenarios } from './stage-scenarios.ts';

/** Keeps the idea that gained most on the training cases, if it gains on the held-out cases too: else it may be memorised. */
export async function confirmOnHeldOut(step: ImprovementStep, context: ImprovementContext): Promise<void> {
  const candidates = step.ideas
    .filter(({ training }) => training?.answer === 'better')
    .sort((a, b) => (b.training?.difference ?? 0) - (a.training?.difference ?? 0));
  for (const idea of candidates) {
    if (step.kept !== null) setAside(idea, step.kept);
    else await confirm(idea, candidates.length, step, context);
  }
  context.save();
}

async function confirm(
  idea: Idea,
  candidates: number,
  step: ImprovementStep,
  context: ImprovementContext,
): Promise<void> {
  const { improvement, improvable, parts } = context;
  const { heldOut: cases } = improvement.split;
  const stage = step.heldOut[idea.arm] ?? { runId: null, isFinished: false };
  step.heldOut[idea.arm] = stage;
  if (!stage.isFinished) {
    const what = `${idea.arm} is better on the training cases; it is tried on ${counted(cases.length, 'held-out case')}`;
    parts.notice(`step ${step.number}: ${what}`);
  }
  const versions = new Map([step.reference, idea.arm].map((arm) => [arm, context.textOf(arm)]));
  const repeat = heldOutRepeats(cases.length);
  await assertAffordable(2 * repeat * cases.length, idea, stage.runId, context);
  await context.runStage(stage, {
    label: `${idea.arm} on held-out cases`,
    scenarios: await stageScenarios(improvable, { cases, versions, repeat }),
    take: (ran) => takeResult(idea, candidates, step, ran, context),
  });
  if (idea.heldOut?.result === 'gained') step.kept = idea.arm;
  idea.state = stateOf(idea.heldOut);
  idea.problem = idea.state === 'kept' ? null : problems[idea.heldOut?.result ?? 'unjudged'];
}

/** A run that the limit would cut short could not show anything. */
async function assertAffordable(
  trials: number,
  idea: Idea,
  runId: string | null,
  context: ImprovementContext,
): Promise<void> {
  const leftUsd = runId === null ? await context.leftUsd() : undefined;
  // Without known costs nothing can be said beforehand; the run itself stops at the limit.
  if (leftUsd === undefined || idea.costUsd === null) return;
  const wantedUsd = (idea.costUsd / Math.max(1, idea.trials)) * trials;
  if (wantedUsd <= leftUsd) return;
  const wanted = `The trials of held-out cases would cost about $${wantedUsd.toFixed(2)}`;
  throw new ImprovementStop('budget-used-up', `${wanted}, and ${context.spentText()}`);
}

async function takeResult(
  idea: Idea,
  candidates: number,
  step: ImprovementStep,
  { summary: { run }, store }: ProjectRun,
  { improvable }: ImprovementContext,
): Promise<void> {
  const sides = await collectSidesBy(storedSource(run, store), improvable.part);
  const [before, after] = [sides.get(step.reference), sides.get(idea.arm)];
  if (before && after) {
    const { answer, summary } = compareCollected(before, after, { only: [improvedFigure] });
    if (answer === 'not-comparable') throw new ImprovementStop('not-comparable', summary);
    idea.heldOut = compareHeldOut(pairCases(before, after).pairs, candidates) ?? null;
  }
  const efforts = await effortByArm(store, run.runId, improvable.part);
  const { trials = 0, costUsd = 0 } = efforts.get(idea.arm) ?? {};
  idea.trials += trials;
  idea.costUsd = idea.costUsd === null || costUsd === null ? null : idea.costUsd + costUsd;
}

function stateOf(heldOut: HeldOutResult | null): Idea['state'] {
  if (heldOut?.result === 'gained') return 'kept';
  return heldOut?.result === 'worse' ? 'worse-on-held-out' : 'not-shown-on-held-out';
}

const problems = {
  gained: null,
  worse: 'worse on the held-out cases',
  'not-shown': 'no gain shown on the held-out cases',
  unjudged: 'no held-out case was judged under both versions',
} as const;

function setAside(idea: Idea, kept: string): void {
  idea.state = 'set-aside';
  idea.problem = `better on the training cases too, but ${kept} gained more`;
}
