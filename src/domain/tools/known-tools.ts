import { suggestion } from '../../shared/suggest.ts';
import { hasTurns } from '../conversation.ts';
import { AssayError } from '../errors.ts';
import { eventsOf, recordedServers, type Trace } from '../trace.ts';
import { isNamed, isPatternOrKind, mayBeNamed, type NamedTool, partsOf } from './tool-names.ts';

/** Name of the server where a scenario has only one: short, because some agents put it before every tool. */
export const onlyServerName = 'server';

/** Tools that there are, as far as it is known. */
export interface KnownTools {
  readonly tools: readonly NamedTool[];
  /** Whether there can be no others. */
  readonly isComplete: boolean;
  /** Names of the servers, where their tools are not known. */
  readonly servers?: readonly string[];
}

/**
 * Why an assertion cannot be about a name: nothing has it, so "was not called" would hold whatever happened. Where there
 * may be tools that are not known, only a name that differs from a known one by nothing but case and separators is certain to be wrong.
 */
export function whyUnknown(
  name: string,
  { tools, isComplete, servers = [] }: KnownTools,
): { readonly message: string; readonly hint: string } | undefined {
  // A pattern may forbid what a server does not have yet.
  if (isPatternOrKind(name) || tools.some((tool) => isNamed(tool, name) || mayBeNamed(tool, name))) return undefined;
  const { server = '', tool: wanted } = partsOf(name) ?? { tool: name };
  const nearServer = servers.includes(server) ? undefined : servers.find((each) => folded(each) === folded(server));
  if (nearServer !== undefined)
    return {
      message: `No server is called \`${server}\`, but one is called \`${nearServer}\`.`,
      hint: `Write \`${nearServer}/${wanted}\`.`,
    };
  const near = tools.find(({ tool }) => tool !== wanted && folded(tool) === folded(wanted));
  const names = [...new Set(tools.map(({ tool }) => tool))];
  if (near)
    return {
      message: `No tool is called \`${name}\`, but one is called \`${near.tool}\`.`,
      hint: `Write \`${near.tool}\`.`,
    };
  return isComplete && names.length > 0
    ? { message: `No tool is called \`${name}\`.`, hint: suggestion(name, names) }
    : undefined;
}

/** The same for the tools that a trial met. */
export function unknownTool(trace: Trace, name: string): AssayError | undefined {
  if (isPatternOrKind(name)) return undefined;
  const why = whyUnknown(name, toolsIn(trace, name));
  return why && new AssayError('CRITERION_UNUSABLE', why.message, { hint: why.hint });
}

function toolsIn(trace: Trace, name: string): KnownTools {
  const servers = eventsOf(trace, 'mcp-server').filter(({ offeredTo }) => offeredTo !== 'user');
  const requests = hasTurns(trace) ? eventsOf(trace, 'model-call') : [];
  return {
    tools: [
      ...servers.flatMap(({ label, name: serverTitle, tools }) =>
        tools.flatMap(({ name: tool }) => [label, onlyServerName].map((server) => ({ tool, server, serverTitle }))),
      ),
      ...requests.flatMap(({ tools }) => tools.map((tool) => ({ tool }))),
      ...eventsOf(trace, 'tool-call'),
    ],
    isComplete:
      requests.length > 0 ||
      (servers.some(({ tools }) => tools.length > 0) && (partsOf(name) !== undefined || !hasOthers(trace))),
  };
}

/** Agents have tools beside those of servers, so there only names that mention a server are certain. */
function hasOthers(trace: Trace): boolean {
  return (
    recordedServers(trace).length === 0 || trace.some(({ type, seenBy }) => type !== 'mcp-server' && seenBy === 'agent')
  );
}

/** As people confuse names: without case and separators. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[-_.\s]/g, '');
}
