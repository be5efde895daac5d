import { AssayError } from '../../../../domain/errors.ts';
import { faultFree } from '../../../../domain/tool-control/faults.ts';
import { observedCalls } from '../../../../domain/tools/tool-calls.ts';
import { isNamed } from '../../../../domain/tools/tool-names.ts';
import type { Trace, TraceEventOf } from '../../../../domain/trace.ts';
import type { Trial } from '../../../../domain/trial.ts';
import { counted } from '../../../../shared/format.ts';
import { canonicalJson } from '../../../../shared/json.ts';
import { shorten } from '../../../../shared/text.ts';
import { shortened } from '../../excerpt.ts';
import { callText } from '../tool-use/call-text.ts';

/** A call at any border that a fault can break. */
export interface TriedCall {
  /** Of the event that records it: the order of the calls. */
  readonly eventIndex: number;
  /** Equal for calls that can make up for each other: of the same tool, or of the same command of a program. */
  readonly purpose: string;
  /** Equal for calls with the same arguments. */
  readonly input: string;
  readonly isBroken: boolean;
  readonly hasWorked: boolean;
  /** For reasons. */
  readonly text: string;
  isNamed(name: string): boolean;
}

/** Why an assertion about faults does not apply: the variant without faults is only there for comparison. */
export function withoutFaults({ variant }: Pick<Trial, 'variant'>): string | undefined {
  return variant.faults === faultFree ? 'This variant has no faults' : undefined;
}

/** The calls that Assay broke on purpose, and all calls; throws where no fault acted, because nothing was tested then. */
export function brokenCalls(trace: Trace): { readonly calls: readonly TriedCall[]; readonly broken: TriedCall[] } {
  const calls = triedCalls(trace);
  const broken = calls.filter(({ isBroken }) => isBroken);
  if (broken.length > 0) return { calls, broken };
  throw new AssayError('NOT_OBSERVED', 'No fault broke a call in this trial, so nothing can be said about recovery.', {
    hint: 'Check that `faults` name tools that the agent calls, or remove the assertion.',
  });
}

const maxShown = 3;

/** Several calls for reasons. */
export function textOfCalls(calls: readonly TriedCall[]): string {
  const more = calls.length > maxShown ? [`and ${counted(calls.length - maxShown, 'more call')}`] : [];
  return [...calls.slice(0, maxShown).map(({ text }) => text), ...more].join('; ');
}

function triedCalls(trace: Trace): TriedCall[] {
  const ofTools = observedCalls(trace).map((call): TriedCall => {
    const isBroken = call.answeredBy === 'fault';
    return {
      eventIndex: call.eventIndex,
      purpose: canonicalJson([call.server, call.tool]),
      input: canonicalJson(call.input),
      isBroken,
      hasWorked: !isBroken && call.isAnswered && call.error === undefined,
      text: callText(call),
      isNamed: (name) => isNamed(call, name),
    };
  });
  const others = trace.flatMap((event, eventIndex) => {
    if (event.type === 'model-call') return [modelCall(event, eventIndex)];
    return event.type === 'command' && !event.isNested ? [commandCall(event, eventIndex)] : [];
  });
  return [...ofTools, ...others].sort((a, b) => a.eventIndex - b.eventIndex);
}

/** A program does different things by its first argument: its help does not make up for a command that failed. */
function commandCall({ argv, exitCode, answeredBy }: TraceEventOf<'command'>, eventIndex: number): TriedCall {
  const [program = '', command = ''] = argv;
  const isBroken = answeredBy === 'fault';
  return {
    eventIndex,
    purpose: canonicalJson(['command', program, command]),
    input: canonicalJson(argv),
    isBroken,
    hasWorked: !isBroken && exitCode === 0,
    text: shortened(shorten(argv.join(' '), 120)),
    isNamed: (name) => name === program || name === `${program} ${command}`,
  };
}

/** Clients repeat requests to models by themselves, so none counts as a retry of the agent. */
function modelCall({ number, model, error, answeredBy }: TraceEventOf<'model-call'>, eventIndex: number): TriedCall {
  const isBroken = answeredBy === 'fault';
  return {
    eventIndex,
    purpose: 'model',
    input: `model call ${number}`,
    isBroken,
    hasWorked: !isBroken && error === undefined,
    text: shortened(`request ${number} to ${model}`),
    isNamed: (name) => name === model,
  };
}
