import { diffTrials, type TrialsDiff } from '../../../report/compare/trajectory/trajectory-comparison.ts';
import type { ServerContext } from '../context.ts';
import { findTrace, findTrial } from '../trials/find-trial.ts';

/** What was done in two trials, side by side. */
export async function diffStored(a: string, b: string, context: ServerContext): Promise<TrialsDiff> {
  return diffTrials(await traced(a, context), await traced(b, context));
}

async function traced(trialId: string, context: ServerContext) {
  const record = await findTrial(context.store, trialId);
  return { record, trace: await findTrace(record.trialId, context) };
}
