import { isRecord } from '../../../shared/json.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { ModelTool } from '../../models/model.ts';
import type { ToolDefinition } from '../session.ts';
import { rewriteTools, type ToolRewrites } from '../tool-rewrites.ts';
import { acceptableSchema } from './input-schema.ts';

const longestName = 64;

/**
 * Names that providers take for those that they refuse, by the names that were given; two of them are never the same,
 * so each can be translated back.
 */
function safeNames(names: readonly string[], isTaken: (name: string) => boolean): Map<string, string> {
  const safe = new Map(names.filter(isTaken).map((name) => [name, name]));
  const used = new Set(safe.keys());
  for (const name of names) {
    if (safe.has(name)) continue;
    const replacement = freeName(name, used);
    used.add(replacement);
    safe.set(name, replacement);
  }
  return safe;
}

function freeName(name: string, used: ReadonlySet<string>): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  for (let number = 1; ; number++) {
    const ending = number === 1 ? '' : `_${number}`;
    const candidate = plain.slice(0, longestName - ending.length) + ending;
    if (!used.has(candidate)) return candidate;
  }
}

/** Whether every provider takes a name for a tool. */
function isToolName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name);
}

/** Whether every provider takes a name for an argument. */
function isArgumentName(name: string): boolean {
  return /^[A-Za-z0-9_.-]{1,64}$/.test(name);
}

/** A tool as the server knows it, for what a model calls. */
interface OfferedTool {
  readonly ownName: string;
  /** The name in the wording, whatever providers take. */
  readonly wordedName: string;
  readonly forModel: ModelTool;
  /** The arguments of a model, by the server's names. */
  ownArguments(given: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** The tools of a server in a wording, by names and schemas that every provider takes. */
export class OfferedTools {
  readonly #tools: readonly OfferedTool[];

  /** Only those of a subset, where there is one. Throws when the wording does not fit the server. */
  constructor(tools: readonly ToolDefinition[], rewrites: ToolRewrites, subset?: ReadonlySet<string>) {
    // A server may give one name to several tools; providers refuse them all then.
    const own = [...new Map(tools.toReversed().map((tool) => [tool.name, tool])).values()].toReversed();
    const worded = rewriteTools(own, rewrites);
    const names = safeNames(
      worded.map(({ name }) => name),
      isToolName,
    );
    this.#tools = worded
      .map((tool, index) => offeredTool(own[index]?.name ?? tool.name, tool, names.get(tool.name)))
      .filter(({ ownName }) => subset?.has(ownName) ?? true);
  }

  /** As they are offered to models. */
  get forModel(): readonly ModelTool[] {
    return this.#tools.map(({ forModel }) => forModel);
  }

  /** By the name that the model was given, or by the one in the wording, which instructions may mention. */
  find(name: string): OfferedTool | undefined {
    return (
      this.#tools.find(({ forModel }) => forModel.name === name) ??
      this.#tools.find(({ wordedName }) => wordedName === name)
    );
  }

  /** The answer to a model that called an unknown tool. */
  unknown(name: string): string {
    const names = this.#tools.map(({ forModel }) => forModel.name);
    return `There is no tool \`${name}\`. ${names.length === 0 ? 'There are none.' : suggestion(name, names)}`;
  }

  /** Which tools the model knows by other names than the server. */
  get renamed(): readonly string[] {
    return this.#tools
      .filter(({ ownName, forModel }) => forModel.name !== ownName)
      .map(({ ownName, forModel }) => `\`${ownName}\` is \`${forModel.name}\``);
  }
}

function offeredTool(ownName: string, tool: ToolDefinition, name: string = tool.name): OfferedTool {
  const { properties, required, ...schema } = acceptableSchema(tool.inputSchema);
  const ownProperties = isRecord(properties) ? properties : {};
  const safe = safeNames(Object.keys(ownProperties), isArgumentName);
  const nameOf = (own: string): string => safe.get(own) ?? own;
  const own = new Map([...safe].map(([argument, shown]) => [shown, argument]));
  const inputSchema = {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(ownProperties).map(([argument, property]) => [nameOf(argument), property]),
    ),
    ...(Array.isArray(required) && { required: required.map(nameOf) }),
  };
  return {
    ownName,
    wordedName: tool.name,
    forModel: { name, description: tool.description ?? tool.title ?? '', inputSchema },
    ownArguments: (given) =>
      Object.fromEntries(Object.entries(given).map(([argument, value]) => [own.get(argument) ?? argument, value])),
  };
}
