import {
  type Alias,
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  visit,
  type YAMLMap,
  type YAMLParseError,
} from 'yaml';
import type { FilePosition } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import { grouped } from '../../shared/format.ts';
import { repeatedKey, tooDeepMessage } from './refused-data.ts';

/** Position of an offset in the file. */
export type At = (offset: number) => FilePosition;

const mostAliasedNodes = 100_000;
/** The parser looks through the whole file for each alias. */
const mostAliases = 1_000;

/** What is well-formed YAML and still cannot be meant: repeated keys, unknown tags, aliases that do not end. */
export function documentProblems(document: Document, text: string, at: At): Problem[] {
  const tags = document.warnings.map(({ pos: [offset] }) => ({
    at: at(offset),
    message: 'this tag has no meaning here',
    hint: tagHint(text, offset),
  }));
  return [...tags, ...structureProblems(document, at)];
}

/** To YAML, `!` begins a tag; in a criterion it means "not", and leaving it out would turn the criterion around. */
function tagHint(text: string, offset: number): string {
  if (text.startsWith('!!', offset)) return 'Leave the tag out.';
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const lineEnd = text.indexOf('\n', offset);
  const rest = text.slice(offset, lineEnd === -1 ? undefined : lineEnd);
  const written = rest.replace(/\s+#.*$/, '').trimEnd();
  const before = text.slice(lineStart, offset);
  // In brackets it is not clear where the expression ends.
  if (/[[{]/.test(before)) return 'Put the whole expression in quotes: YAML takes `!` for the beginning of a tag.';
  return `YAML takes \`!\` for the beginning of a tag. Put it in quotes: ${before.trim()} "${written.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function structureProblems(document: Document, at: At): Problem[] {
  const problems: Problem[] = [];
  const aliases = new AliasCheck();
  visit(document, (_key, node, ancestors) => {
    if (isMap(node)) problems.push(...repeatedKeys(node, at));
    if (isPair(node)) problems.push(...misusedMerge(node, at));
    if (!isNode(node)) return undefined;
    const message = isAlias(node) ? aliases.check(node, ancestors) : aliases.remember(node);
    if (message === undefined) return undefined;
    problems.push({ at: at(node.range?.[0] ?? 0), message });
    return message === tooManyNodes || message === tooManyAliases ? visit.BREAK : undefined;
  });
  return problems;
}

const tooManyAliases = `this is one alias too many: a file may have ${grouped(mostAliases)}`;
const tooManyNodes = `with this alias the file grows beyond ${grouped(mostAliasedNodes)} values`;

/** Follows anchors in the order of the text, as YAML defines them. */
class AliasCheck {
  readonly #anchors = new Map<string, Node>();
  readonly #sizes = new Map<Node, number>();
  #aliasedNodes = 0;
  #aliases = 0;

  remember(node: Node & { readonly anchor?: string }): undefined {
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
  }

  check(alias: Alias, ancestors: readonly unknown[]): string | undefined {
    const target = this.#anchors.get(alias.source);
    if (!target) return `there is no anchor \`&${alias.source}\` before this alias`;
    if (ancestors.includes(target))
      return `the alias \`*${alias.source}\` stands inside what it repeats, so it never ends`;
    const size = this.#sizeOf(target);
    this.#sizes.set(alias, size);
    this.#aliasedNodes += size;
    if (++this.#aliases > mostAliases) return tooManyAliases;
    return this.#aliasedNodes > mostAliasedNodes ? tooManyNodes : undefined;
  }

  /** How many values a node stands for with its aliases written out; aliases before it have been checked. */
  #sizeOf(node: unknown): number {
    const known = this.#sizes.get(node as Node);
    if (known !== undefined) return known;
    if (isPair(node)) return this.#sizeOf(node.key) + this.#sizeOf(node.value);
    if (!isMap(node) && !isSeq(node)) return 1;
    const size = (node.items as unknown[]).reduce<number>((total, item) => total + this.#sizeOf(item), 1);
    this.#sizes.set(node, size);
    return size;
  }
}

function repeatedKeys(map: YAMLMap, at: At): Problem[] {
  const seen = new Map<string, FilePosition>();
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const name = keyText(key.value);
    const place = at(key.range?.[0] ?? 0);
    const first = seen.get(name);
    if (!first) seen.set(name, place);
    return first ? [repeatedKey(name, place, first)] : [];
  });
}

function misusedMerge({ key, value }: Pair, at: At): Problem[] {
  if (!isScalar(key) || keyText(key.value) !== '<<') return [];
  const sources = isSeq(value) ? value.items : [value];
  if (sources.every((source) => isMap(source) || isAlias(source))) return [];
  return [{ at: at(key.range?.[0] ?? 0), message: '`<<` can only merge objects' }];
}

/** A merge key is a symbol to the parser. */
function keyText(value: unknown): string {
  return typeof value === 'symbol' ? (value.description ?? '') : String(value);
}

type Words = Pick<Problem, 'message' | 'hint'>;

/** The first syntax error of a document in the user's words; what follows it is mostly its echo. */
export function syntaxProblem(document: Document.Parsed | Document, text: string, at: At): Problem[] {
  const [first] = [...document.errors].sort((a, b) => a.pos[0] - b.pos[0]);
  if (!first) return [];
  const opening = /closing .quote/.test(first.message) ? openingQuote(document, first.pos[0]) : undefined;
  return [{ at: at(opening ?? first.pos[0]), ...wordsFor(first as YAMLParseError, text) }];
}

function wordsFor({ code, message, pos }: YAMLParseError, text: string): Words {
  const [first = message] = message.split('\n');
  if (/closing .quote/.test(first)) return { message: 'the quote that is opened here is not closed' };
  const bracket = /end with a (.)$/.exec(first)?.[1];
  if (bracket)
    return {
      message: `a closing \`${bracket}\` is missing before this`,
      hint: 'Close the bracket, or indent what belongs inside.',
    };
  const known = wordsByCode[code];
  if (known) return known;
  if (/followed by map values/.test(first)) return { message: 'a `:` is missing after this key' };
  const character = text[pos[0]] === '`' ? 'a back-tick' : `\`${text[pos[0]]}\``;
  if (code === 'BAD_SCALAR_START') return { message: `a value cannot start with ${character}`, hint: quoteIt };
  if (code === 'UNEXPECTED_TOKEN')
    return { message: `\`${restOfLine(text, pos[0])}\` is not expected here`, hint: lookAround };
  return { message: `this is not YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}` };
}

const quoteIt = 'Put the whole value in quotes.';
const lookAround = 'Look at the quotes, brackets and indentation just before it.';

const wordsByCode: Partial<Record<ErrorCode, Words>> = {
  TAB_AS_INDENT: { message: 'a tab cannot be used to indent', hint: 'Indent with spaces.' },
  MULTIPLE_DOCS: {
    message: 'a second document starts here, and a file holds only one',
    hint: 'Move it to a file of its own.',
  },
  BAD_INDENT: { message: 'the indentation does not fit what is around it', hint: lookAround },
  BLOCK_AS_IMPLICIT_KEY: {
    message: 'the indentation or a `: ` makes a mapping where none can be',
    hint: 'Line it up with its neighbours, or put the value in quotes.',
  },
  MULTILINE_IMPLICIT_KEY: {
    message: 'a `:` is missing on this line, or its indentation does not fit',
    hint: lookAround,
  },
  BAD_DQ_ESCAPE: {
    message: 'this escape is not known in double quotes',
    hint: 'Write `\\\\` for a backslash, or use single quotes.',
  },
  RESOURCE_EXHAUSTION: { message: tooDeepMessage },
  ALIAS_PROPS: { message: 'an alias cannot have an anchor or a tag' },
  MULTIPLE_ANCHORS: { message: 'a value can have only one anchor' },
  BAD_DIRECTIVE: { message: 'this directive is not known; files are read as YAML 1.2' },
};

function restOfLine(text: string, offset: number): string {
  const [line = ''] = text.slice(offset, offset + 40).split(/\r?\n/);
  return line.trim();
}

function openingQuote(document: Document, closingOffset: number): number | undefined {
  let found: number | undefined;
  visit(document, {
    Scalar(_key, node) {
      const start = node.range?.[0] ?? 0;
      if (isScalar(node) && node.type?.startsWith('QUOTE') && start < closingOffset) found = start;
    },
  });
  return found;
}
