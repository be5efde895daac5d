import { isRecord } from '../../shared/json.ts';
import { seededRandom } from '../../shared/seeded-random.ts';
import { type Arguments, invalidArguments, type Probe, validArguments } from '../arguments/call-arguments.ts';
import { type CheckableSchema, checkableSchema } from '../arguments/schema-parts.ts';
import type { ListedTool } from '../listed-server.ts';
import { contradiction } from '../rules/annotations.ts';

/** How tools are to be called. */
export interface CallSettings {
  /** Valid calls of each tool. */
  readonly callsPerTool: number;
  /** Also tools that may change something. */
  readonly callsAll: boolean;
  readonly seed: number;
  /** Arguments that are known to be good, by tool. */
  readonly knownArguments: ReadonlyMap<string, readonly Arguments[]>;
}

/** The calls of one tool, or why there are none. */
export type CallPlan =
  | { readonly leftOut: string }
  | {
      readonly leftOut: undefined;
      readonly valid: readonly Arguments[];
      readonly probes: readonly Probe[];
      readonly isSurelyValid: boolean;
      readonly outputSchema: CheckableSchema | undefined;
    };

/** Decides whether a tool is called, and with what. */
export function planCalls(tool: ListedTool, settings: CallSettings): CallPlan {
  const leftOut = reasonNotToCall(tool, settings);
  if (leftOut !== undefined) return { leftOut };
  const schema = isRecord(tool.inputSchema) ? checkableSchema(tool.inputSchema) : undefined;
  if (!schema) return { leftOut: 'its input schema cannot be used' };
  const fixed = settings.knownArguments.get(tool.name) ?? [];
  const made = validArguments(schema, settings.callsPerTool, seededRandom(settings.seed), fixed);
  const [first] = made;
  if (first === undefined) return { leftOut: 'no arguments could be made that fit its schema' };
  return {
    leftOut: undefined,
    valid: isReadOnly(tool) ? repeated(made, settings.callsPerTool) : made,
    probes: invalidArguments(schema, first),
    isSurelyValid: schema.isWhole,
    outputSchema: isRecord(tool.outputSchema) ? checkableSchema(tool.outputSchema) : undefined,
  };
}

/** Whether the tool says that it changes nothing, and nothing speaks against it. */
export function isReadOnly(tool: ListedTool): boolean {
  return tool.annotations.readOnlyHint === true && contradiction(tool) === undefined;
}

function reasonNotToCall(tool: ListedTool, { callsPerTool, callsAll }: CallSettings): string | undefined {
  const { execution } = tool.definition;
  if (isRecord(execution) && execution.taskSupport === 'required') return 'it runs only as a task';
  if (callsPerTool === 0) return 'calls are switched off';
  if (callsAll || isReadOnly(tool)) return undefined;
  if (contradiction(tool) !== undefined)
    return 'its annotations contradict each other or its name (--call-all calls it)';
  return 'it is not marked read-only (--call-all calls it)';
}

/** Calling what changes nothing again gives more latencies. */
function repeated(made: readonly Arguments[], count: number): Arguments[] {
  return Array.from({ length: Math.max(count, made.length) }, (_, index) => made[index % made.length] ?? {});
}
