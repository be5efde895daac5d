import type { Fault } from '../../../domain/tool-control/faults.ts';

/** The text of a call that fails on purpose. */
export function failureText({ fault, message, retryAfterSecs }: Fault): string {
  if (message !== undefined) return message;
  if (fault !== 'rate-limit') return 'Internal error';
  return `Rate limit exceeded. Retry ${retryAfterSecs === undefined ? 'later' : `after ${retryAfterSecs} s`}.`;
}
