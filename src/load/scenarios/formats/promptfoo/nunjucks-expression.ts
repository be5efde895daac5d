import { isRecord } from '../../../../shared/json.ts';
import { filters } from './nunjucks-filters.ts';

export type Vars = Readonly<Record<string, unknown>>;

/** Computes the value of an expression. */
export type Evaluate = (vars: Vars) => unknown;

/** An expression as it was parsed. */
export interface ParsedExpression {
  readonly evaluate: Evaluate;
  /** Names of the vars that it reads. */
  readonly roots: readonly string[];
}

const tokens =
  /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(===|!==|==|!=|<=|>=|\/\/|[-+*/%~<>()[\]{},.|:=]))/y;

interface Token {
  readonly kind: 'string' | 'number' | 'name' | 'sign';
  readonly text: string;
}

/** Thrown inside this file for everything that is not supported. */
class Unsupported extends Error {}

const comparisons: Readonly<Record<string, (left: never, right: never) => boolean>> = {
  // Loose, as in JavaScript: nunjucks compares so.
  // biome-ignore lint/suspicious/noDoubleEquals: see above
  '==': (left, right) => left == right,
  // biome-ignore lint/suspicious/noDoubleEquals: see above
  '!=': (left, right) => left != right,
  '===': (left, right) => left === right,
  '!==': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '>': (left, right) => left > right,
  '<=': (left, right) => left <= right,
  '>=': (left, right) => left >= right,
};

const arithmetic: Readonly<Record<string, (left: never, right: never) => unknown>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '//': (left, right) => Math.floor(left / right),
};

const constants: Readonly<Record<string, unknown>> = { true: true, false: false, none: null, null: null };

/** Parses an expression; undefined where a part of it is not supported. */
export function parseExpression(text: string): ParsedExpression | undefined {
  try {
    const parser = new ExpressionParser(tokensOf(text));
    const evaluate = parser.whole();
    return { evaluate, roots: parser.roots };
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

function tokensOf(text: string): Token[] {
  const found: Token[] = [];
  tokens.lastIndex = 0;
  const end = text.trimEnd().length;
  while (tokens.lastIndex < end) {
    const match = tokens.exec(text);
    if (!match) throw new Unsupported();
    const [, string, number, name, sign] = match;
    if (string !== undefined) found.push({ kind: 'string', text: unquoted(string) });
    else if (number !== undefined) found.push({ kind: 'number', text: number });
    else if (name !== undefined) found.push({ kind: 'name', text: name });
    else found.push({ kind: 'sign', text: sign ?? '' });
  }
  return found;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\([\s\S])/g, (_, character: string) => escapes[character] ?? character);
}

class ExpressionParser {
  readonly roots: string[] = [];
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(found: readonly Token[]) {
    this.#tokens = found;
  }

  whole(): Evaluate {
    const evaluate = this.#choice();
    if (this.#next < this.#tokens.length) throw new Unsupported();
    return evaluate;
  }

  #takes(text: string): boolean {
    const token = this.#tokens[this.#next];
    if (!token || token.text !== text || token.kind === 'string' || token.kind === 'number') return false;
    this.#next++;
    return true;
  }

  #need(text: string): void {
    if (!this.#takes(text)) throw new Unsupported();
  }

  #name(): string {
    const token = this.#tokens[this.#next++];
    if (token?.kind !== 'name') throw new Unsupported();
    return token.text;
  }

  #choice(): Evaluate {
    const value = this.#or();
    if (!this.#takes('if')) return value;
    const condition = this.#or();
    const other: Evaluate = this.#takes('else') ? this.#choice() : () => '';
    return (vars) => (condition(vars) ? value(vars) : other(vars));
  }

  #or(): Evaluate {
    const left = this.#and();
    if (!this.#takes('or')) return left;
    const right = this.#or();
    return (vars) => left(vars) || right(vars);
  }

  #and(): Evaluate {
    const left = this.#not();
    if (!this.#takes('and')) return left;
    const right = this.#and();
    return (vars) => left(vars) && right(vars);
  }

  #not(): Evaluate {
    if (!this.#takes('not')) return this.#membership(() => this.#comparison());
    // To nunjucks, `not a == b` is `(not a) == b`: what is not in parentheses is refused rather than taken for the other.
    const value = this.#membership(() => this.#filtered());
    return (vars) => !value(vars);
  }

  #membership(first: () => Evaluate): Evaluate {
    const value = first();
    if (this.#takes('is')) {
      const isNegated = this.#takes('not');
      const name = this.#name();
      if (name !== 'defined' && name !== 'undefined') throw new Unsupported();
      return (vars) => ((value(vars) === undefined) === (name === 'undefined')) !== isNegated;
    }
    const isNegated = this.#takes('not');
    if (!this.#takes('in')) {
      if (isNegated) throw new Unsupported();
      return value;
    }
    const whole = this.#comparison();
    return (vars) => isIn(value(vars), whole(vars)) !== isNegated;
  }

  #comparison(): Evaluate {
    const left = this.#joined();
    const sign = Object.keys(comparisons).find((text) => this.#takes(text));
    const compare = sign === undefined ? undefined : comparisons[sign];
    if (!compare) return left;
    // One alone: in `a == b > c` the second one binds closer to nunjucks, and is refused.
    const right = this.#joined();
    return (vars) => compare(left(vars) as never, right(vars) as never);
  }

  #joined(): Evaluate {
    let left = this.#sum();
    while (this.#takes('~')) {
      const [first, second] = [left, this.#sum()];
      left = (vars) => `${first(vars) ?? ''}${second(vars) ?? ''}`;
    }
    return left;
  }

  #sum(): Evaluate {
    const { '+': plus, '-': minus } = arithmetic;
    return this.#chain({ '+': plus, '-': minus }, () => this.#product());
  }

  #product(): Evaluate {
    const { '+': _plus, '-': _minus, ...others } = arithmetic;
    return this.#chain(others, () => this.#filtered());
  }

  #chain(
    operators: Readonly<Record<string, ((left: never, right: never) => unknown) | undefined>>,
    next: () => Evaluate,
  ): Evaluate {
    let left = next();
    for (;;) {
      const sign = Object.keys(operators).find((text) => this.#takes(text));
      const operate = sign === undefined ? undefined : operators[sign];
      if (!operate) return left;
      const [first, second] = [left, next()];
      left = (vars) => operate(first(vars) as never, second(vars) as never);
    }
  }

  #filtered(): Evaluate {
    if (this.#takes('-')) {
      const value = this.#filtered();
      return (vars) => -Number(value(vars));
    }
    let value = this.#place();
    while (this.#takes('|')) {
      const name = this.#name();
      const filter = Object.hasOwn(filters, name) ? filters[name] : undefined;
      if (!filter) throw new Unsupported();
      const args = this.#takes('(') ? this.#list(')') : [];
      if (args.length > filter.args) throw new Unsupported();
      const inner = value;
      value = (vars) => {
        const input = inner(vars);
        // Like nunjucks, except that a missing var stays visible as missing.
        if (input === undefined && !filter.takesMissing) return undefined;
        return filter.apply(input, ...args.map((arg) => arg(vars)));
      };
    }
    return value;
  }

  #list(end: string): Evaluate[] {
    const items: Evaluate[] = [];
    while (!this.#takes(end)) {
      if (items.length > 0) this.#need(',');
      items.push(this.#choice());
    }
    return items;
  }

  #place(): Evaluate {
    let value = this.#simple();
    for (;;) {
      const inner = value;
      if (this.#takes('.')) {
        const token = this.#tokens[this.#next++];
        if (token?.kind !== 'name' && token?.kind !== 'number') throw new Unsupported();
        value = (vars) => partOf(inner(vars), token.text);
      } else if (this.#takes('[')) {
        const key = this.#choice();
        this.#need(']');
        value = (vars) => partOf(inner(vars), key(vars));
      } else if (this.#takes('(')) {
        throw new Unsupported();
      } else return value;
    }
  }

  #simple(): Evaluate {
    if (this.#takes('(')) {
      const value = this.#choice();
      this.#need(')');
      return value;
    }
    if (this.#takes('[')) {
      const items = this.#list(']');
      return (vars) => items.map((item) => item(vars));
    }
    const token = this.#tokens[this.#next++];
    if (token?.kind === 'string') return () => token.text;
    if (token?.kind === 'number') return () => Number(token.text);
    if (token?.kind !== 'name') throw new Unsupported();
    const { text } = token;
    if (Object.hasOwn(constants, text)) return () => constants[text];
    this.roots.push(text);
    return (vars) => (Object.hasOwn(vars, text) ? vars[text] : undefined);
  }
}

function partOf(whole: unknown, key: unknown): unknown {
  if (Array.isArray(whole) && (key === 'length' || /^\d+$/.test(String(key))))
    return key === 'length' ? whole.length : whole[Number(key)];
  if (typeof whole === 'string') return key === 'length' ? whole.length : undefined;
  return isRecord(whole) && Object.hasOwn(whole, String(key)) ? whole[String(key)] : undefined;
}

function isIn(value: unknown, whole: unknown): boolean {
  if (Array.isArray(whole)) return whole.includes(value);
  if (typeof whole === 'string') return whole.includes(String(value));
  return isRecord(whole) && Object.hasOwn(whole, String(value));
}
