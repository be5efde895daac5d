import type { ControlAction } from './control-event.ts';

/** An action of Assay on a call, as a line. */
export function describeControl({ kind, server, tool, callNumber, what, rule }: ControlAction): string {
  const name = server === undefined ? tool : `${server} › ${tool}`;
  return `${kind}: call ${callNumber} of ${name} ${what} (${rule})`;
}
