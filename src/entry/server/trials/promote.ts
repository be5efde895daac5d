import { promoteTrial } from '../../../compose/cases/promote/promote-trial.ts';
import { storedTrial } from '../../../compose/cases/promote/recorded-trial.ts';
import type { PromotedTrial, PromoteTrial } from '../api/trials.ts';
import type { ServerContext } from '../context.ts';

/** Writes a scenario from a trial of the store; its place is not chosen by the request. */
export async function promoteStored(
  trialId: string,
  { name, criterion, assertTools, connector, binary }: PromoteTrial,
  context: ServerContext,
): Promise<PromotedTrial> {
  const project = await context.project();
  const trial = await storedTrial(trialId, context.store, project);
  const hints = { name, criterion, connector, binary, assertsTools: assertTools };
  const { file, name: given, fixture, notes } = await promoteTrial(trial, { ...hints, project, env: context.env });
  return { file, name: given, fixture, notes: [...notes] };
}
