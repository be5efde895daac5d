import { isRecord } from '../../shared/json.ts';
import { seededRandom } from '../../shared/seeded-random.ts';
import { type Arguments, invalidArguments, type Probe, validArguments } from '../arguments/call-arguments.ts';
import { type CheckableSchema, checkableSchema } from '../arguments/schema-parts.ts';
import type { ListedTool } from '../definitions/listed-server.ts';
import { argumentsOf, flattened, isUntyped } from '../definitions/tool-arguments.ts';
import { type CallChoice, type CallReason, decideCall } from './reason-to-call.ts';

/** How tools are to be called. */
export interface CallSettings extends CallChoice {
  /** Valid calls of each tool. */
  readonly callsPerTool: number;
  /** Of more tools than this, a sample is called (200). */
  readonly mostCalledTools?: number | undefined;
  readonly seed: number;
  /** Arguments that are known to be good, by tool. */
  readonly knownArguments: ReadonlyMap<string, readonly Arguments[]>;
}

/** The calls of one tool, or why there are none. */
export type CallPlan =
  | { readonly leftOut: string }
  | {
      readonly leftOut: undefined;
      readonly calledFor: CallReason;
      readonly valid: readonly Arguments[];
      readonly probes: readonly Probe[];
      /** Whether a refusal may be right, though the arguments fit the schema. */
      readonly mayBeRight: (refusal: string) => boolean;
      readonly outputSchema: CheckableSchema | undefined;
    };

/** Decides whether a tool is called, and with what. */
export function planCalls(tool: ListedTool, settings: CallSettings, isInSample = true): CallPlan {
  const { execution } = tool.definition;
  if (isRecord(execution) && execution.taskSupport === 'required') return { leftOut: 'it runs only as a task' };
  if (settings.callsPerTool === 0) return { leftOut: 'calls are switched off' };
  const decision = decideCall(tool, settings);
  if ('leftOut' in decision) return decision;
  if (!isInSample) return { leftOut: 'of so many tools only a sample is called (--call calls it)' };
  const schema = isRecord(tool.inputSchema) ? checkableSchema(tool.inputSchema) : undefined;
  if (!schema) return { leftOut: 'its input schema cannot be used' };
  const fixed = settings.knownArguments.get(tool.name) ?? [];
  const made = validArguments(schema, settings.callsPerTool, seededRandom(settings.seed), fixed);
  const [first] = made;
  if (first === undefined) return { leftOut: 'no arguments could be made that fit its schema' };
  const { calledFor } = decision;
  return {
    leftOut: undefined,
    calledFor,
    valid: calledFor === 'option' ? made : repeated(made, settings.callsPerTool),
    probes: invalidArguments(schema, first),
    mayBeRight: refusalsOf(tool, schema),
    outputSchema: isRecord(tool.outputSchema) ? checkableSchema(tool.outputSchema) : undefined,
  };
}

/** A schema that does not say what it takes is reported by itself: refusals about that have the same cause. */
function refusalsOf(tool: ListedTool, { isWhole }: CheckableSchema): (refusal: string) => boolean {
  if (!isWhole || !isRecord(tool.inputSchema) || tool.inputSchema.type !== 'object') return () => true;
  const untyped = flattened(argumentsOf(tool)).filter(isUntyped);
  return (refusal) => untyped.some(({ name }) => refusal.toLowerCase().includes(name.toLowerCase()));
}

/** Calling what changes nothing again gives more latencies. */
function repeated(made: readonly Arguments[], count: number): Arguments[] {
  return Array.from({ length: Math.max(count, made.length) }, (_, index) => made[index % made.length] ?? {});
}
