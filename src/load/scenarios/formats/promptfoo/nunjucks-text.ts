import { contentKey } from '../../../../shared/ids.ts';
import { isRecord } from '../../../../shared/json.ts';
import { type Evaluate, type ParsedExpression, parseExpression, type Vars } from './nunjucks-expression.ts';
import { textOf } from './nunjucks-filters.ts';

export type { Vars } from './nunjucks-expression.ts';
export { textOf } from './nunjucks-filters.ts';

/** A part of a text that vars decide: `{{ user.name | upper }}`, or a block from `{% if … %}` to `{% endif %}`. */
export interface Expression {
  /** As it is written. */
  readonly source: string;
  /** Name under which a case has its value. */
  readonly field: string;
  /** True for a var as it is. */
  readonly isVar: boolean;
  /** Names of the vars that it reads. */
  readonly roots: readonly string[];
  /** Of its first brace, from 1. */
  readonly column: number;
  /** Undefined where the vars have no value. */
  readonly evaluate: Evaluate;
}

interface TextProblem {
  readonly column: number;
  readonly message: string;
}

/** A text in the part of nunjucks that is supported: values, filters, `if`, `for` and `set`. */
export interface NunjucksText {
  readonly parts: readonly (string | Expression)[];
  readonly problems: readonly TextProblem[];
}

const token = /\{#-?[\s\S]*?-?#\}|\{\{-?([\s\S]*?)-?\}\}|\{%-?\s*([\s\S]*?)\s*-?%\}/g;
const simplePlace = /^[A-Za-z_]\w*(?:\.\w+|\[\d+\]|\[(?:"[^"]*"|'[^']*')\])*(?:\s*\|\s*[a-z]+)*$/;

/** A text or a mark of a template. */
type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly start: number }
  | {
      readonly kind: 'value' | 'tag';
      readonly inside: string;
      readonly source: string;
      readonly start: number;
      readonly end: number;
    };

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let [end, isTrimmed] = [0, false];
  const addText = (to: number, isCut: boolean): void => {
    const raw = text.slice(end, to);
    const start = isTrimmed ? raw.trimStart() : raw;
    const kept = isCut ? start.trimEnd() : start;
    if (kept !== '') pieces.push({ kind: 'text', text: kept, start: end });
  };
  for (const match of text.matchAll(token)) {
    const [source, value, tag] = match;
    addText(match.index, source[2] === '-');
    isTrimmed = source.at(-3) === '-';
    end = match.index + source.length;
    const place = { source, start: match.index, end };
    if (value !== undefined) pieces.push({ kind: 'value', inside: value.trim(), ...place });
    else if (tag !== undefined) pieces.push({ kind: 'tag', inside: tag, ...place });
  }
  addText(text.length, false);
  return pieces;
}

/** Parses a text. */
export function parseNunjucks(text: string): NunjucksText {
  const reader = new TemplateReader(text, piecesOf(text));
  const parts = reader.parts();
  return { parts, problems: reader.problems };
}

/** Writes a part of a template; `set` changes the vars for what follows. */
type Render = (vars: Record<string, unknown>) => string;

class TemplateReader {
  readonly problems: TextProblem[] = [];
  readonly #text: string;
  readonly #pieces: readonly Piece[];
  #next = 0;
  #roots: string[] = [];
  #loops = 0;

  constructor(text: string, pieces: readonly Piece[]) {
    this.#text = text;
    this.#pieces = pieces;
  }

  /** Texts and expressions in their order. What follows a `set` is one expression with it. */
  parts(): (string | Expression)[] {
    const parts: (string | Expression)[] = [];
    while (this.#next < this.#pieces.length) {
      const piece = this.#pieces[this.#next] as Piece;
      if (piece.kind === 'text') {
        parts.push(piece.text);
        this.#next++;
      } else if (piece.kind === 'value') {
        this.#next++;
        const parsed = this.#expression(piece.inside, piece);
        if (parsed) parts.push(expressionOf(piece, parsed));
      } else parts.push(...this.#block(piece));
    }
    return parts;
  }

  #block(first: Piece & { readonly kind: 'value' | 'tag' }): Expression[] {
    const before = this.problems.length;
    this.#roots = [];
    const render = first.inside.startsWith('set ') ? this.#body([]) : this.#tag(first);
    const last = this.#pieces[this.#next - 1];
    if (this.problems.length > before) return [];
    const source = this.#text.slice(first.start, last && 'end' in last ? last.end : this.#text.length);
    const field = `block-${contentKey([source]).slice(0, 8)}`;
    const evaluate: Evaluate = (vars) => render({ ...vars });
    return [{ source, field, isVar: false, roots: this.#roots, column: first.start + 1, evaluate }];
  }

  #expression(inside: string, { source, start }: { source: string; start: number }): ParsedExpression | undefined {
    const parsed = parseExpression(inside);
    if (!parsed) this.#refuse(source, start);
    else this.#roots.push(...parsed.roots);
    return parsed;
  }

  #refuse(source: string, start: number): void {
    this.problems.push({ column: start + 1, message: `\`${source.replace(/\s+/g, ' ')}\` has no equal in Assay` });
  }

  /** Everything up to one of these tags, which is not taken. */
  #body(ends: readonly string[]): Render {
    const parts: Render[] = [];
    for (; this.#next < this.#pieces.length; ) {
      const piece = this.#pieces[this.#next] as Piece;
      if (piece.kind === 'tag' && ends.includes(wordOf(piece.inside))) break;
      if (piece.kind === 'tag') {
        parts.push(this.#tag(piece));
        continue;
      }
      this.#next++;
      if (piece.kind === 'text') parts.push(() => piece.text);
      else {
        const parsed = this.#expression(piece.inside, piece);
        if (parsed) parts.push((vars) => textOf(parsed.evaluate(vars) ?? ''));
      }
    }
    return (vars) => parts.map((render) => render(vars)).join('');
  }

  #tag(piece: Piece & { readonly kind: 'value' | 'tag' }): Render {
    this.#next++;
    const word = wordOf(piece.inside);
    const rest = piece.inside.slice(word.length).trim();
    if (word === 'if') return this.#condition(rest, piece);
    if (word === 'for') return this.#loop(rest, piece);
    if (word === 'set' && this.#loops === 0) {
      const [, name, written] = /^([A-Za-z_]\w*)\s*=(?!=)([\s\S]+)$/.exec(rest) ?? [];
      const value = written === undefined ? undefined : this.#expression(written, piece);
      if (name !== undefined && value) {
        return (vars) => {
          vars[name] = value.evaluate(vars);
          return '';
        };
      }
    }
    this.#refuse(piece.source, piece.start);
    return () => '';
  }

  #condition(written: string, piece: { source: string; start: number }): Render {
    const condition = this.#expression(written, piece);
    const then = this.#body(['elif', 'elseif', 'else', 'endif']);
    const end = this.#take();
    let otherwise: Render = () => '';
    if (end && /^(?:elif|elseif)\b/.test(end.inside)) {
      otherwise = this.#condition(end.inside.replace(/^\w+/, ''), end);
    } else if (end?.inside === 'else') {
      otherwise = this.#body(['endif']);
      if (!this.#take()) this.#refuse(piece.source, piece.start);
    } else if (!end) this.#refuse(piece.source, piece.start);
    return (vars) => (condition?.evaluate(vars) ? then(vars) : otherwise(vars));
  }

  #loop(written: string, piece: { source: string; start: number }): Render {
    const [, first, second, list = ''] =
      /^([A-Za-z_]\w*)(?:\s*,\s*([A-Za-z_]\w*))?\s+in\s+([\s\S]+)$/.exec(written) ?? [];
    const items = first === undefined ? undefined : this.#expression(list, piece);
    if (first === undefined) this.#refuse(piece.source, piece.start);
    this.#loops++;
    const body = this.#body(['else', 'endfor']);
    this.#loops--;
    let none: Render = () => '';
    let end = this.#take();
    if (end?.inside === 'else') {
      none = this.#body(['endfor']);
      end = this.#take();
    }
    if (!end) this.#refuse(piece.source, piece.start);
    return (vars) => {
      const rows = rowsOf(items?.evaluate(vars), first ?? '', second);
      if (rows.length === 0) return none(vars);
      return rows.map((row, index) => body({ ...vars, ...row, loop: loopAt(index, rows.length) })).join('');
    };
  }

  #take(): (Piece & { readonly kind: 'value' | 'tag' }) | undefined {
    const piece = this.#pieces[this.#next++];
    return piece?.kind === 'tag' ? piece : undefined;
  }
}

function wordOf(inside: string): string {
  return /^\w*/.exec(inside)?.[0] ?? '';
}

function rowsOf(items: unknown, first: string, second: string | undefined): Record<string, unknown>[] {
  if (Array.isArray(items)) {
    return items.map((item) =>
      second === undefined ? { [first]: item } : { [first]: partAt(item, 0), [second]: partAt(item, 1) },
    );
  }
  if (!isRecord(items)) return [];
  return Object.entries(items).map(([key, value]) => ({
    [first]: key,
    ...(second !== undefined && { [second]: value }),
  }));
}

function partAt(item: unknown, index: number): unknown {
  return Array.isArray(item) ? item[index] : undefined;
}

function loopAt(index: number, length: number) {
  return { index: index + 1, index0: index, first: index === 0, last: index === length - 1, length };
}

function expressionOf(
  { inside, source, start }: { inside: string; source: string; start: number },
  parsed: ParsedExpression,
): Expression {
  const isSimple = simplePlace.test(inside) && !/["']/.test(inside);
  const steps = inside.split(/\s*\|\s*|\.|\[["']?|["']?\]/).filter((step) => step !== '');
  const field = isSimple
    ? steps.map((step) => step.replace(/[^\w-]/g, '_')).join('.')
    : `value-${contentKey([inside]).slice(0, 8)}`;
  return { ...parsed, source, field, isVar: /^\w+$/.test(inside) && isSimple, column: start + 1 };
}

/** The text with the values of its expressions; a missing one is empty, as in promptfoo. */
export function fillNunjucks({ parts }: NunjucksText, vars: Vars): string {
  return parts.map((part) => (typeof part === 'string' ? part : textOf(part.evaluate(vars) ?? ''))).join('');
}

/** Expressions of a text. */
export function expressionsOf({ parts }: NunjucksText): Expression[] {
  return parts.filter((part) => typeof part !== 'string');
}
