import type { ErrorCode } from '../../../domain/errors.ts';

/** Errors of the rules of a scenario for its calls: they are wrong whatever a server does. */
export const controlFaults: ReadonlySet<ErrorCode> = new Set([
  'MOCK_UNUSABLE',
  'FAULT_UNUSABLE',
  'ATTACK_UNUSABLE',
  'TOOL_REPLAY_MISS',
]);
