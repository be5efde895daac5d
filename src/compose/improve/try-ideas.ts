import type { Idea, ImprovementStep } from '../../domain/improvement.ts';
import { lastLooks } from '../../report/compare/experiment-rounds.ts';
import { improvedFigure } from '../../report/compare/held-out.ts';
import { counted } from '../../shared/format.ts';
import type { ProjectRun } from '../run/run-project.ts';
import { type ImprovementContext, ImprovementStop } from './improvement-context.ts';
import { effortByArm } from './observed-failures.ts';
import { stageScenarios } from './stage-scenarios.ts';

/** Tries all usable ideas of a step as variants of one experiment on the training cases. */
export async function tryIdeas(step: ImprovementStep, context: ImprovementContext): Promise<void> {
  const { improvement, improvable, parts } = context;
  const usable = step.ideas.filter(({ state }) => state === 'proposed');
  if (step.training.isFinished) return;
  const proposed = counted(step.ideas.length, 'idea');
  if (usable.length === 0)
    throw new ImprovementStop('no-usable-idea', `${proposed} proposed, none of them can be tried.`);
  parts.notice(`step ${step.number}: ${proposed} proposed, ${usable.length} tried on the training cases`);
  const arms = [step.reference, ...usable.map(({ arm }) => arm)];
  await context.runStage(step.training, {
    label: `ideas of step ${step.number}`,
    scenarios: await stageScenarios(improvable, {
      cases: improvement.split.training,
      versions: new Map(arms.map((arm) => [arm, context.textOf(arm)])),
      repeat: 1,
    }),
    question: {
      by: improvable.part,
      reference: step.reference,
      metric: improvedFigure,
      maxTrials: improvement.request.maxTrials ?? undefined,
    },
    errorRate: step.level,
    take: (ran) => takeLooks(usable, ran, context),
  });
}

async function takeLooks(ideas: readonly Idea[], { summary, store }: ProjectRun, context: ImprovementContext) {
  const { experiment, runId } = summary.run;
  if (!experiment) return;
  if (experiment.ending === 'not-comparable') throw new ImprovementStop('not-comparable', experiment.reason);
  if (experiment.ending === 'budget-used-up') context.lackOfBudget = experiment.reason ?? undefined;
  const looks = lastLooks(experiment);
  const efforts = await effortByArm(store, runId, context.improvable.part);
  for (const idea of ideas) {
    const look = looks.find(({ arm }) => arm === idea.arm);
    const { trials = 0, costUsd = 0 } = efforts.get(idea.arm) ?? {};
    Object.assign(idea, { training: look ?? null, trials, costUsd });
    if (look?.answer === 'better') continue;
    idea.state = 'not-better';
    idea.problem = look ? notBetter[look.answer] : 'no training case was judged under it';
  }
}

const notBetter = {
  better: '',
  higher: '',
  lower: '',
  worse: 'worse on the training cases',
  'no-difference': 'no difference that matters on the training cases',
  'not-enough-data': 'not shown to be better on the training cases',
} as const;
