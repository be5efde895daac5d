import { canonicalJson, isRecord } from '../../../shared/json.ts';
import type { ComparedRequest } from '../../tape/nearest.ts';

/** A tool, or a group of tools that is offered as one. */
interface OfferedTool {
  readonly name: string;
  /** Its definition as text; two tools with the same are the same. */
  readonly text: string;
  /** Its name, and those of the tools of a group. */
  readonly names: readonly string[];
}

/** The tools that a request offers, however deep an API puts them. */
export function offeredTools({ fields }: ComparedRequest): OfferedTool[] {
  return toolsIn(fields.tools);
}

function toolsIn(value: unknown): OfferedTool[] {
  if (Array.isArray(value)) return value.flatMap(toolsIn);
  if (!isRecord(value)) return [];
  if (typeof value.name === 'string') {
    const inner = toolsIn(
      [value.function, value.functionDeclarations, value.tools].filter((item) => item !== undefined),
    );
    return [
      { name: value.name, text: canonicalJson(value), names: [value.name, ...inner.flatMap(({ names }) => names)] },
    ];
  }
  return [value.function, value.functionDeclarations, value.tools].flatMap(toolsIn);
}

/** A request without its tools, as text. */
export function withoutTools({ fields, messages }: ComparedRequest): string {
  const { tools: _tools, ...others } = fields;
  return canonicalJson({ fields: others, messages });
}

/** How the tools of a request differ from those of a recorded one. */
export interface ToolDifference {
  /** Recorded, and not offered now. */
  readonly missing: readonly OfferedTool[];
  /** Offered now, and not in the recorded request. */
  readonly added: readonly OfferedTool[];
}

export function toolDifference(recorded: ComparedRequest, request: ComparedRequest): ToolDifference {
  const [before, now] = [offeredTools(recorded), offeredTools(request)];
  return { missing: notIn(before, now), added: notIn(now, before) };
}

function notIn(tools: readonly OfferedTool[], others: readonly OfferedTool[]): OfferedTool[] {
  const texts = new Set(others.map(({ text }) => text));
  return tools.filter(({ text }) => !texts.has(text));
}

/** Whether a reply names one of these tools: it cannot be the reply to a request without them. */
export function callsOneOf(reply: unknown, tools: readonly OfferedTool[]): boolean {
  const names = new Set(tools.flatMap((tool) => tool.names));
  const isCalled = (value: unknown): boolean => {
    if (Array.isArray(value)) return value.some(isCalled);
    if (!isRecord(value)) return false;
    return (typeof value.name === 'string' && names.has(value.name)) || Object.values(value).some(isCalled);
  };
  return names.size > 0 && isCalled(reply);
}
