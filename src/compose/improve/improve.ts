import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { Improvement, ImprovementRequest, ImprovementStep } from '../../domain/improvement.ts';
import { stepErrorRate } from '../../report/compare/held-out.ts';
import { counted } from '../../shared/format.ts';
import type { Project } from '../config/project.ts';
import { projectRedaction } from '../config/redaction.ts';
import { version } from '../program.ts';
import { selectScenarios } from '../run/prepare-run.ts';
import { casesOf, splitCases } from './case-families.ts';
import { confirmOnHeldOut } from './confirm-held-out.ts';
import type { Improvable, ImprovableSearch } from './improvable.ts';
import { ImprovementContext, ImprovementStop, type ImproveParts } from './improvement-context.ts';
import { improvementFolder, saveImprovement } from './improvement-file.ts';
import { LeakCheck, textsOfCase } from './leak-check.ts';
import { proposeForStep } from './propose-for-step.ts';
import { stageScenarios } from './stage-scenarios.ts';
import { tryIdeas } from './try-ideas.ts';

/** Trials of each training case that show what goes wrong; they are not evidence for or against an idea. */
const observedRepeats = 3;

/** Fixes the text, the split and all rules of a new improvement before the first trial. */
export async function beginImprovement(request: ImprovementRequest, parts: ImproveParts): Promise<Improvement> {
  const startedAt = new Date();
  const id = newImprovementId(startedAt);
  const improvable = await findImprovable(request, id, parts);
  const split = splitCases(await casesOf(improvable.scenarios), request.holdout, request.seed);
  refuseTooFewTrials(request, split.training.length);
  const improvement: Improvement = {
    schema: 'assay.improve/1',
    id,
    startedAt: startedAt.getTime(),
    assayVersion: version,
    request,
    file: improvable.file,
    original: improvable.text,
    reference: improvable.reference,
    split,
    observed: { runId: null, isFinished: false },
    steps: [],
    spentUsd: 0,
    unpricedTrials: 0,
    ending: null,
    reason: null,
    diff: null,
    applied: [],
  };
  saveImprovement(parts.project.folder, improvement, projectRedaction(parts.project, parts.env));
  return improvement;
}

/** A limit that no round of all ideas fits in is refused before a trial is run or a model is called. */
function refuseTooFewTrials({ maxTrials, ideas }: ImprovementRequest, cases: number): void {
  const wanted = cases * (ideas + 1);
  if (maxTrials === null || maxTrials >= wanted) return;
  const arms = `${counted(cases, 'training case')} with ${counted(ideas, 'idea')} beside the text as it is`;
  throw new AssayError('USAGE', `One round of ${arms} has ${wanted} trials, more than the limit of ${maxTrials}.`, {
    hint: `Set the limit (\`--max-trials\`) to ${wanted} or more, or ask for fewer ideas (\`--ideas\`).`,
  });
}

/**
 * Carries an improvement on until it ends or is interrupted: observe what fails in the training cases, then step by step
 * let a model propose ideas, try them on the training cases, and keep the best that gains on the held-out cases too.
 */
export async function continueImprovement(improvement: Improvement, parts: ImproveParts): Promise<Improvement> {
  if (improvement.ending) return improvement;
  const context = await openContext(improvement, parts);
  try {
    await observe(context);
    for (;;) {
      const step = currentStep(improvement);
      await proposeForStep(step, context);
      await tryIdeas(step, context);
      await confirmOnHeldOut(step, context);
      closeStep(step, context);
    }
  } catch (stop) {
    if (!(stop instanceof ImprovementStop)) throw stop;
    if (stop.ending) await context.end(stop.ending, stop.reason);
  }
  return improvement;
}

/** Writes the best version into the files of the user. */
export async function applyImprovement(improvement: Improvement, parts: ImproveParts): Promise<Improvement> {
  if (improvement.applied.length > 0) return improvement;
  const kept = improvement.steps.findLast((step) => step.kept !== null)?.kept;
  if (kept === undefined || kept === null) return improvement;
  const context = await openContext(improvement, parts);
  improvement.applied = [...(await context.improvable.apply(context.textOf(kept)))];
  context.save();
  return improvement;
}

async function openContext(improvement: Improvement, parts: ImproveParts): Promise<ImprovementContext> {
  const { request, id, split, original, file } = improvement;
  const improvable = await findImprovable(request, id, parts);
  if (improvable.text !== original || improvable.file !== file) {
    throw new AssayError('RUN_CHANGED', `Cannot resume the improvement ${id}: ${file} was changed since it started.`, {
      hint: 'Start a new improvement, or restore the file.',
    });
  }
  const cases = await casesOf(improvable.scenarios);
  const textsIn = (some: typeof split.training): string[] => {
    const keys = new Set(some.map(({ scenario, caseId }) => JSON.stringify([scenario, caseId])));
    const chosen = cases.filter((one) => keys.has(JSON.stringify([one.scenario.name, one.case.caseId])));
    return chosen.flatMap((one) => textsOfCase(one.case));
  };
  const leaks = new LeakCheck(textsIn(split.heldOut), [original, ...textsIn(split.training)]);
  return new ImprovementContext(improvement, improvable, leaks, parts);
}

async function findImprovable(request: ImprovementRequest, id: string, parts: ImproveParts): Promise<Improvable> {
  const { project, env, signal } = parts;
  const { scenarios } = await selectScenarios(request.run, project, { env });
  const search: ImprovableSearch = {
    scenarios,
    from: request.from ?? undefined,
    folder: project.folder,
    versionsFolder: versionsFolder(project, id),
    env,
    signal,
  };
  if (request.what === 'descriptions') {
    const { improvableDescriptions } = await import('./improvable-descriptions.ts');
    return improvableDescriptions(search);
  }
  const { improvableGuidance, improvableSkill } = await import('./improvable-files.ts');
  return request.what === 'guidance' ? improvableGuidance(search) : improvableSkill(search);
}

function versionsFolder({ folder }: Project, id: string): string {
  return join(improvementFolder(folder, id), 'versions');
}

async function observe(context: ImprovementContext): Promise<void> {
  const { improvement, improvable } = context;
  const { reference, split, original } = improvement;
  await context.runStage(improvement.observed, {
    label: 'observed',
    scenarios: await stageScenarios(improvable, {
      cases: split.training,
      versions: new Map([[reference, original]]),
      repeat: observedRepeats,
    }),
  });
}

/** The step that is not finished, or the next one. */
function currentStep({ steps, reference }: Improvement): ImprovementStep {
  const last = steps.at(-1);
  if (last && !last.isFinished) return last;
  const number = steps.length + 1;
  const step: ImprovementStep = {
    number,
    reference: last?.kept ?? reference,
    level: stepErrorRate(number),
    proposal: null,
    ideas: [],
    training: { runId: null, isFinished: false },
    heldOut: {},
    kept: null,
    isFinished: false,
  };
  steps.push(step);
  return step;
}

function closeStep(step: ImprovementStep, context: ImprovementContext): void {
  step.isFinished = true;
  context.save();
  const { request, steps } = context.improvement;
  if (step.kept === null) {
    if (context.lackOfBudget) throw new ImprovementStop('budget-used-up', context.lackOfBudget);
    throw new ImprovementStop('nothing-helped', null);
  }
  if (steps.length >= request.maxSteps) throw new ImprovementStop('steps-used-up', null);
}

/** Sorts by time: `i-20261115-093012-4f7a1c`. */
function newImprovementId(startedAt: Date): string {
  const stamp = startedAt.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `i-${stamp}-${randomBytes(3).toString('hex')}`;
}
