import type { ControlAction } from './control-event.ts';

/** An action of Assay on a call, as a line. */
export function describeControl({ kind, border, server, tool, callNumber, what, rule }: ControlAction): string {
  const name = server === undefined ? tool : `${server} › ${tool}`;
  if (border === 'files') return `${kind}: ${name} ${what} (${rule})`;
  return `${kind}: call ${callNumber} of ${name} ${what} (${rule})`;
}
