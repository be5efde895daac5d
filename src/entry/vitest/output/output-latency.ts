import { isRecord } from '../../../shared/json.ts';

/** Milliseconds that an output says it took, or undefined when it does not say. */
export function outputLatencyMs(output: unknown): number | undefined {
  if (!isRecord(output)) return undefined;
  return [output.latency, output.executionTime, output.duration].find(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  );
}
