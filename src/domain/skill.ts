import { oneLine } from '../shared/text.ts';

/** A skill as its SKILL.md describes it. */
interface Skill {
  readonly name: string;
  readonly description: string;
  /** Lines of its text by which it is recognised in the output of a tool and in a prompt. */
  readonly signature: readonly string[];
}

const shortestLine = 12;
const mostLines = 5;
const frontMatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

/** Reads a SKILL.md, or says why agents would not find the skill. */
export function parseSkill(text: string): Skill | { readonly problem: string } {
  const [head, fields = ''] = frontMatter.exec(text) ?? [];
  if (head === undefined) return { problem: 'does not begin with front matter (`---`)' };
  const name = fieldOf(fields, 'name');
  const description = fieldOf(fields, 'description');
  if (name === '') return { problem: 'has no `name`' };
  // Agents use the name as a folder name and in prompts.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name))
    return { problem: `has an unusable name \`${name.slice(0, 80)}\`` };
  if (description === '') return { problem: 'has no `description`, so no agent knows when to use it' };
  const lines = text.slice(head.length).split(/\r?\n/);
  const distinctive = lines.map((line) => line.trim()).filter((line) => line.length >= shortestLine);
  if (distinctive.length === 0) return { problem: 'has no instructions below its front matter' };
  return { name, description, signature: distinctive.slice(0, mostLines) };
}

/** A field of the front matter of a text; empty where it has none. */
export function frontMatterField(text: string, key: string): string {
  return fieldOf(frontMatter.exec(text)?.[1] ?? '', key);
}

/** A value of the front matter on one line, in quotes or not, or in a block of indented lines. */
function fieldOf(fields: string, key: string): string {
  const [, first = '', rest = ''] = new RegExp(`^${key}:[ \\t]*(.*)((?:\\r?\\n[ \\t]+.*)*)`, 'm').exec(fields) ?? [];
  const block = oneLine(rest);
  const written = /^[>|][+-]?$/.test(first.trim()) ? block : `${first.trim()} ${block}`.trim();
  return written.replace(/^(["'])([\s\S]*)\1$/, '$2').trim();
}
