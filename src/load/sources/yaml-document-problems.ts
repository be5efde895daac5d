import {
  type Alias,
  type Document,
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
} from 'yaml';
import type { FilePosition } from '../../domain/errors.ts';
import type { Problem } from '../../domain/problem.ts';
import { grouped } from '../../shared/format.ts';
import { repeatedKey } from './repeated-key.ts';

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
