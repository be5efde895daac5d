import { counted } from '../shared/format.ts';
import { canonicalJson } from '../shared/json.ts';
import type { ControlAction } from './tool-control/control-event.ts';
import type { ToolControl } from './tool-control/mocks.ts';
import type { TraceEventOf } from './trace.ts';
import type { Trial } from './trial.ts';

/** The rules for the calls of a trial: of the faults, those that act in its variant. */
export function controlOfTrial({
  scenario: { control },
  variant,
}: Pick<Trial, 'scenario' | 'variant'>): ToolControl | undefined {
  if (!control) return undefined;
  return { ...control, faults: control.faults.filter(({ set }) => set === undefined || set === variant.faults) };
}

/** Seed of the draws in a trial: the same for a trial that is resumed, and another for each repeat. */
export function controlSeed({ scenario, case: { caseId }, variant, repeat }: Trial): string {
  return canonicalJson([scenario.name, caseId, variant, repeat]);
}

/** An action of Assay on a call, as a line that begins with its kind. */
export function describeControl(action: ControlAction): string {
  return `${action.kind}: ${controlText(action)}`;
}

/** The same without its kind. */
export function controlText({ border, server, tool, callNumber, what, rule }: ControlAction): string {
  const name = server === undefined ? tool : `${server} › ${tool}`;
  const call = border === 'files' ? '' : `call ${callNumber} of `;
  return `${call}${name} ${what} (${rule})`;
}

/** The recording that answers in a trial, as a line. */
export function describeTape({ place, repeat, masked }: TraceEventOf<'tool-tape'>): string {
  const secrets = masked === 0 ? '' : `; a secret is masked in ${counted(masked, 'recorded call')}`;
  return `tool calls are answered from ${place}, recorded in repeat ${repeat}${secrets}`;
}
