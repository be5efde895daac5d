import type { ReplayRules } from '../../domain/tool-control/replay.ts';
import { canonicalJson, isRecord } from '../../shared/json.ts';
import { cutMiddle } from '../../shared/text.ts';
import type { ComparedCall, FoundCall, MissedCall } from './player.ts';

const longestArguments = 200;

/** The answer to a call that is not recorded, where the rules want an error of the tool. */
export const notRecorded = 'This call is not in the recording.';

/** The effect of the rules on a call that is not recorded; `real` is left to answer where they allow it. */
export function missText(miss: ReplayRules['miss'], real: 'tool' | 'program'): string {
  const effects = {
    error: 'the trial cannot be judged',
    'tool-error': 'answered with an error',
    real: `left to the real ${real}`,
  };
  return `not in the recording: ${effects[miss]}`;
}

/** Arguments of a call for a message. */
export function argumentsText(args: unknown): string {
  return cutMiddle(JSON.stringify(args) ?? 'nothing', longestArguments);
}

/** Why a call has no answer: `is not recorded`, or how its state differs from the recorded one. */
export function missedText({ difference }: Pick<MissedCall<unknown>, 'difference'>): string {
  return difference === undefined ? 'is not recorded' : `was recorded in another state (${difference})`;
}

/** How a call was answered, with all that makes the recorded answer less than the real one. */
export function answeredText(
  { entry, difference }: Omit<FoundCall<{ readonly masked?: true | undefined }>, 'kind'>,
  others: readonly string[] = [],
): string {
  const reservations = [
    ...(entry.masked ? ['a secret is masked'] : []),
    ...others,
    ...(difference === undefined ? [] : [`the state was another one: ${difference}`]),
  ];
  return `answered from the recording${reservations.length === 0 ? '' : `, where ${reservations.join('; ')}`}`;
}

/** A call in the forms in which calls are compared; `exactly` counts for the strict comparison only. */
export function comparedCall(tool: string, args: unknown, exactly?: unknown): ComparedCall {
  return {
    tool,
    exact: canonicalJson([tool, args, exactly]),
    normalised: canonicalJson([tool, normalised(args)]),
  };
}

/** Absent and null keys are the same, and so are texts that differ in the space around them and in their line ends. */
function normalised(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC').replaceAll('\r\n', '\n').trim();
  if (Array.isArray(value)) return value.map(normalised);
  if (!isRecord(value)) return value;
  const filled = Object.entries(value).filter(([, part]) => part !== null && part !== undefined);
  return Object.fromEntries(filled.map(([key, part]) => [key, normalised(part)]));
}
