import type { ToolRewrites } from '../drive/mcp/tool-rewrites.ts';
import { isRecord } from '../shared/json.ts';
import { redactPatterns } from '../shared/redaction/secret-patterns.ts';
import type { ListedServer, ListedTool } from './definitions/listed-server.ts';
import { homePaths, invisibleText } from './rules/safety.ts';

/** One text of a definition that was changed, with the rule that it broke. */
interface WordingFix {
  readonly tool: string;
  /** `name`, `title`, `description`, or `inputSchema.properties.<argument>.description`. */
  readonly place: string;
  readonly rule: string;
  readonly before: string;
  readonly after: string;
}

/** Fixes of texts, and the same as a wording that a config can try beside the original. */
interface WordingFixes {
  readonly fixes: readonly WordingFix[];
  readonly rewrites: ToolRewrites;
}

/** Corrections that need no judgement: each takes away what breaks a rule and leaves the rest as it is. */
const corrections: readonly { readonly rule: string; correct(text: string): string }[] = [
  { rule: 'invisible-characters', correct: (text) => text.replace(invisibleText, '') },
  { rule: 'secret-in-definition', correct: (text) => redactPatterns(text) },
  { rule: 'machine-path-in-definition', correct: (text) => homePaths(text) },
  { rule: 'injection-like-text', correct: (text) => text.replace(/<!--[\s\S]{0,2000}?-->/g, '').trim() },
  {
    rule: 'injection-like-text',
    correct: (text) => text.replace(/[^\S\n]{60,}/g, ' ').replace(/\n{15,}/g, '\n\n'),
  },
];

const longestName = 64;

/** The mechanical fixes of the names and descriptions of a server's tools. */
export function wordingFixes({ tools }: ListedServer): WordingFixes {
  const names = new Set(tools.map(({ name }) => name));
  const fixes = tools.flatMap((tool) => [...nameFix(tool, names), ...textFixes(tool)]);
  return { fixes, rewrites: rewritesOf(fixes) };
}

function nameFix({ name }: ListedTool, names: Set<string>): WordingFix[] {
  const after = name
    .replace(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, longestName);
  if (after === name || names.has(after)) return [];
  names.add(after);
  return [{ tool: name, place: 'name', rule: 'tool-name-not-portable', before: name, after }];
}

function textFixes({ name, definition, inputSchema }: ListedTool): WordingFix[] {
  const properties = isRecord(inputSchema) && isRecord(inputSchema.properties) ? inputSchema.properties : {};
  const texts: readonly (readonly [place: string, text: unknown])[] = [
    ['title', definition.title],
    ['description', definition.description],
    ...Object.entries(properties).map(([argument, schema]) => {
      return [argumentPlace(argument), isRecord(schema) ? schema.description : undefined] as const;
    }),
  ];
  return texts.flatMap(([place, before]) => {
    if (typeof before !== 'string') return [];
    let after = before;
    let broken: string | undefined;
    for (const { rule, correct } of corrections) {
      const corrected = correct(after);
      if (corrected.trim() === after.trim()) continue;
      broken ??= rule;
      after = corrected;
    }
    return broken === undefined ? [] : [{ tool: name, place, rule: broken, before, after }];
  });
}

function argumentPlace(argument: string): string {
  return `inputSchema.properties.${argument}.description`;
}

function rewritesOf(fixes: readonly WordingFix[]): ToolRewrites {
  const rewrites: Record<string, Record<string, unknown> & { arguments?: Record<string, string> }> = {};
  for (const { tool, place, after } of fixes) {
    const [, argument] = /^inputSchema\.properties\.(.*)\.description$/s.exec(place) ?? [];
    const before = rewrites[tool] ?? {};
    const changed =
      argument === undefined ? { [place]: after } : { arguments: { ...before.arguments, [argument]: after } };
    rewrites[tool] = { ...before, ...changed };
  }
  return rewrites;
}
