import { eventsOf, type Trace, type TraceEvent } from '../../domain/trace.ts';
import { requestNormaliser } from '../../drive/gateway/tape/normalise-request.ts';
import { TrialPaths } from '../../drive/tape/trial-paths.ts';
import { isRecord } from '../../shared/json.ts';

/** Fields that are measured, or that say where an answer came from. */
const leftOut = new Set([
  'at',
  'durationMs',
  'timeToFirstTokenMs',
  'isReplayed',
  'costUsd',
  'startedAt',
  'endedAt',
  'pid',
  'systemSha256',
]);

/**
 * A trace without what differs between two trials in which the same happened. Each observer's events are in order;
 * which observer was first is chance.
 */
export function normalisedTrace(trace: Trace): Record<string, unknown[]> {
  const [workspace] = eventsOf(trace, 'workspace');
  const folder = workspace?.workedIn ?? '/nowhere';
  const paths = new TrialPaths({ work: `${folder}/fixture`, trial: folder });
  const normalise = requestNormaliser({ paths, redact: (text) => text, agentVersion: null });
  const observers: Record<string, unknown[]> = {};
  for (const event of trace) {
    if (event.type === 'workspace' || isSlownessNote(event)) continue;
    const { seenBy = 'assay' } = event;
    observers[seenBy] = [...(observers[seenBy] ?? []), normalise(without(event))];
  }
  return observers;
}

/** Some agents print how long a step took, but only if it took long. */
function isSlownessNote(event: TraceEvent): boolean {
  return event.type === 'output' && event.channel === 'stderr' && /^[\w ]+ took [\d.]+ ?m?s\s*$/.test(event.text);
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !leftOut.has(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, without(item)]));
}
