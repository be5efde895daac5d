import { counted } from '../../shared/format.ts';
import { type ListedServer, type ListedTool, textsOf } from './listed-server.ts';
import { quoted } from './words.ts';

/**
 * How bad a problem is: it does not work, it will confuse models, or it could be better. A notice is not the fault of
 * the server's author: the machine, the generated data or the SDK kept something from being checked or from working.
 */
export const severities = ['error', 'warning', 'info', 'notice'] as const;
export type Severity = (typeof severities)[number];

/** The description of a kind of problem. */
export interface RuleText {
  readonly id: string;
  readonly severity: Severity;
  /** The problem in a few words. */
  readonly summary: string;
  /** The effect on a model or a client. */
  readonly why: string;
  readonly fix: string;
  /** The part of the specification that it rests on: version, page and heading; none for advice of ours. */
  readonly clause?: string;
}

/** One place where a rule is broken. */
export interface Finding {
  readonly message: string;
  /** The tools it is about; none when it is about the server as a whole. */
  readonly tools?: readonly string[];
  /** Where in the definition of the tool, such as `inputSchema.properties.path`. */
  readonly place?: string;
}

/** One broken rule in one request. */
export interface RequestFinding {
  readonly rule: RuleText;
  readonly message: string;
  /** The reason that the server gave, apart from the request; tools with the same cause are reported together. */
  readonly cause?: string;
}

/** A rule that needs nothing but what the server says of itself; one of the checks looks at it. */
export interface Rule extends RuleText {
  check?(server: ListedServer): readonly Finding[];
  /** Looks at each tool. */
  checkTool?(tool: ListedTool): string | Finding | undefined;
  /** Looks at each text that the server gives to models. */
  checkText?(text: string, server: ListedServer): string | undefined;
}

/** Every place where a server breaks a rule. */
export function findingsOfRule(rule: Rule, server: ListedServer): Finding[] {
  const ofTools = server.tools.flatMap((tool): Finding[] => {
    const found = rule.checkTool?.(tool);
    if (found === undefined) return [];
    return [{ tools: [tool.name], ...(typeof found === 'string' ? { message: found } : found) }];
  });
  const ofTexts = (rule.checkText ? textsOf(server) : []).flatMap(({ tools, text }): Finding[] => {
    const message = rule.checkText?.(text, server);
    return message === undefined ? [] : [{ message, tools }];
  });
  return [...(rule.check?.(server) ?? []), ...ofTools, ...ofTexts];
}

/** Texts of rules by name: that of `serverFailed` has the id `server-failed`. */
export function ruleTexts<Name extends string>(texts: Readonly<Record<Name, Omit<RuleText, 'id'>>>) {
  const named = Object.entries<Omit<RuleText, 'id'>>(texts).map(([name, text]) => {
    return [name, { id: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), ...text }];
  });
  return Object.fromEntries(named) as Readonly<Record<Name, RuleText>>;
}

/** A finding with all that its reader needs to act on it. */
export interface CheckProblem extends Omit<RuleText, 'clause'> {
  /** The address of the clause of the specification; null for advice of ours. */
  readonly clause: string | null;
  readonly tools: readonly string[];
  readonly place: string | null;
  readonly message: string;
  /** Name and version of the SDK that causes it; null for what the author of the server can mend. */
  readonly attributedTo: string | null;
}

/** A finding as a problem of its rule. */
export function problemOf({ id, severity, summary, why, fix, clause }: RuleText, finding: Finding): CheckProblem {
  const { message, tools = [], place = null } = finding;
  return { id, severity, tools, place, message, summary, why, fix, clause: clauseUrl(clause), attributedTo: null };
}

/** The address of a clause of the specification. */
export function clauseUrl(clause: string | undefined): string | null {
  return clause === undefined ? null : `https://modelcontextprotocol.io/specification/${clause}`;
}

/** One finding for all tools that are of a kind. */
export function oncePerServer(
  { tools }: ListedServer,
  what: string,
  isOfKind: (tool: ListedTool) => boolean,
): Finding[] {
  const found = tools.filter(isOfKind).map(({ name }) => name);
  if (found.length === 0) return [];
  return [{ message: `${counted(found.length, 'tool')} of ${tools.length} ${what}: ${quoted(found)}.`, tools: found }];
}
