import { type CaseInput, caseInput, editableKeys, findCase, withEditedCase } from '../../../compose/run/edit-case.ts';
import { pathsWithin, type Selection, selectScenarios } from '../../../compose/run/prepare-run.ts';
import { asAssayError } from '../../../domain/errors.ts';
import { keptOptions } from '../../../domain/option-values.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import type { StartOptions } from '../../../engine/feature.ts';
import { requireRun, requireTrial } from '../../../keep/store/store.ts';
import type { Rerun, RerunTrial } from '../api/trials.ts';
import type { ServerContext } from '../context.ts';
import { Refusal } from '../refusal.ts';

/** The request that reads the scenario of a trial as its run did, without its other cases. */
async function requestOf(record: TrialRecord, context: ServerContext): Promise<StartOptions> {
  const { request } = await requireRun(context.store, record.runId);
  const kind = request.origin?.kind;
  if (kind === 'import' || kind === 'evaluate' || kind === 'rule') {
    throw new Refusal(409, 'NOT_RERUNNABLE', 'The trial was made elsewhere, so it cannot be run again.');
  }
  const project = await context.project();
  const paths = pathsWithin([record.file], project.folder, project);
  const { tags: _tags, tier: _tier, ...kept } = keptOptions(request, 'again');
  return { ...kept, paths, scenario: record.scenario, repeat: 1 };
}

async function selectionOf(request: StartOptions, context: ServerContext): Promise<Selection> {
  return selectScenarios(request, await context.project(), { env: context.env });
}

/** The input of a trial as its files have it now, and whether it can be edited and run again. */
export async function readRerun(trialId: string, context: ServerContext): Promise<Rerun> {
  const record = await requireTrial(context.store, trialId);
  try {
    const [scenario] = (await selectionOf(await requestOf(record, context), context)).scenarios;
    const found = scenario && (await findCase(scenario, record.caseId));
    if (!scenario || !found) return notPossible('The files of the project no longer have this case.');
    const keys = editableKeys(scenario);
    if (keys.length === 0) return notPossible('Suites and workflows of MCP servers are edited in their file.');
    return { isPossible: true, whyNot: null, ...inputFields(caseInput(scenario, found), keys) };
  } catch (error) {
    return notPossible(error instanceof Refusal ? error.message : asAssayError(error).message);
  }
}

function inputFields(
  input: CaseInput,
  keys: readonly string[],
): Pick<Rerun, 'keys' | 'input' | 'messages' | 'userMessages'> {
  return {
    keys: [...keys] as Rerun['keys'],
    input: input.input ?? null,
    messages: input.messages === undefined ? null : [...input.messages],
    userMessages: input.userMessages === undefined ? null : [...input.userMessages],
  };
}

function notPossible(whyNot: string): Rerun {
  return { isPossible: false, whyNot, keys: [], input: null, messages: null, userMessages: null };
}

/** Runs the case of a trial with changed input, as a run that nothing is compared with; no file is changed. */
export async function rerunEdited(trialId: string, changes: RerunTrial, context: ServerContext): Promise<string> {
  const record = await requireTrial(context.store, trialId);
  const { runId, caseId, variant, scenario } = record;
  const request = await requestOf(record, context);
  const origin = { kind: 'edit', runId, trialId: record.trialId } as const;
  const selection = await selectionOf(request, context);
  const { parts } = await context.project();
  const edit = { ...changes, caseId, variant };
  const scenarios = await Promise.all(selection.scenarios.slice(0, 1).map((one) => withEditedCase(one, edit, parts)));
  return context.runs.start({
    request: { ...request, origin, reuse: false, name: `Edited: ${scenario} › ${caseId}`.slice(0, 200) },
    selection: { ...selection, scenarios },
  });
}
