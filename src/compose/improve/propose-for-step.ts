import { AssayError } from '../../domain/errors.ts';
import type { Idea, ImprovementStep } from '../../domain/improvement.ts';
import { counted } from '../../shared/format.ts';
import { secretRedaction } from '../config/redaction.ts';
import { ProjectJudging } from '../judge/judging.ts';
import { applyEdits } from './apply-edits.ts';
import { type ImprovementContext, ImprovementStop } from './improvement-context.ts';
import { type ObservedFailures, observeFailures } from './observed-failures.ts';
import { type ProposedIdea, type ProposedIdeas, proposalPromptVersion, proposeIdeas } from './propose.ts';

/** Lets the model propose ideas from what failed under the current version, and checks each before it is tried. */
export async function proposeForStep(step: ImprovementStep, context: ImprovementContext): Promise<void> {
  if (step.proposal) return;
  const { improvement, parts } = context;
  const observed = await failuresBefore(step, context);
  if (observed.judged === 0)
    throw new ImprovementStop('nothing-judged', 'No trial of a training case could be judged.');
  if (observed.failed === 0) throw new ImprovementStop('nothing-failed', null);
  parts.notice(
    `step ${step.number}: ${observed.failed} of ${counted(observed.judged, 'trial')} of training cases failed; ${improvement.request.proposer} proposes ideas`,
  );
  const { ideas, costUsd } = await proposed(observed, step, context);
  improvement.spentUsd += costUsd ?? 0;
  for (const [index, idea] of ideas.entries()) step.ideas.push(await checkedIdea(idea, index, step, context));
  step.proposal = {
    model: improvement.request.proposer,
    promptVersion: proposalPromptVersion,
    costUsd,
    tracesLeftOut: observed.tracesLeftOut,
  };
  context.save();
}

/** The first step learns from the trials that were made for it, a later one from those of the idea that was kept. */
function failuresBefore(step: ImprovementStep, context: ImprovementContext): Promise<ObservedFailures> {
  const { improvement, improvable, leaks, parts } = context;
  const runId = (improvement.steps[step.number - 2]?.training ?? improvement.observed).runId ?? '';
  return context.withStore((store) =>
    observeFailures({
      store,
      runId,
      part: improvable.part,
      arm: step.reference,
      leaks,
      redact: secretRedaction(parts.env),
    }),
  );
}

async function proposed(
  { failures, traces }: ObservedFailures,
  step: ImprovementStep,
  context: ImprovementContext,
): Promise<ProposedIdeas> {
  const { improvement, improvable, parts } = context;
  const { project, env, signal } = parts;
  const maxUsd = await context.leftUsd();
  await using judging = new ProjectJudging(project, { ...improvement.request.run, maxUsd }, env);
  const model = await (await judging.models()).find(improvement.request.proposer);
  const material = {
    form: improvable.form,
    document: secretRedaction(env)(context.textOf(step.reference)),
    failures,
    traces,
    earlier: improvement.steps.flatMap(({ ideas }) => ideas.map(({ title, state }) => ({ title, result: state }))),
    count: improvement.request.ideas,
  };
  try {
    return await proposeIdeas(material, model, signal);
  } catch (error) {
    if (signal.aborted) throw new ImprovementStop();
    if (error instanceof AssayError && error.code === 'MODEL_BUDGET_REACHED')
      throw new ImprovementStop('budget-used-up', error.message);
    throw error;
  }
}

/** An idea that cannot be tried is said and counted. */
async function checkedIdea(
  { title, rationale, edits }: ProposedIdea,
  index: number,
  step: ImprovementStep,
  context: ImprovementContext,
): Promise<Idea> {
  const before = context.textOf(step.reference);
  const idea: Idea = {
    arm: `idea-${step.number}.${index + 1}`,
    title,
    rationale,
    edits,
    state: 'proposed',
    problem: null,
    diff: null,
    training: null,
    heldOut: null,
    trials: 0,
    costUsd: 0,
  };
  const edited = applyEdits(before, edits);
  if ('problem' in edited) return { ...idea, state: 'broken', problem: edited.problem };
  const problem = context.improvable.problemOf(edited.text);
  const diff = await context.diffBetween(before, edited.text);
  if (problem !== undefined) return { ...idea, diff, state: 'broken', problem };
  const leak = context.leaks.leakIn(edited.text);
  if (leak !== undefined)
    return { ...idea, diff, state: 'leak', problem: `it holds text of a held-out case: ${JSON.stringify(leak)}` };
  const twin = twinOf(edited.text, context);
  return twin === undefined
    ? { ...idea, diff }
    : { ...idea, diff, state: 'duplicate', problem: `it gives the same text as ${twin}` };
}

/** A version with the same text. */
function twinOf(text: string, context: ImprovementContext): string | undefined {
  const { improvement } = context;
  const ideas = improvement.steps.flatMap((step) => step.ideas.filter(({ state }) => state !== 'broken'));
  const arms = [improvement.reference, ...ideas.map(({ arm }) => arm)];
  return arms.find((arm) => context.textOf(arm) === text);
}
