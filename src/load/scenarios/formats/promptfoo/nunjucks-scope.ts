export type Vars = Readonly<Record<string, unknown>>;

/** Thrown where a template has no text for the vars of a case, or one that cannot be meant. */
export class TemplateFault extends Error {}

/** The vars of a case, and over them what `set` and loops define. */
export class Scope {
  readonly #vars: Vars;
  readonly #outer: Scope | undefined;
  readonly #own = new Map<string, unknown>();

  constructor(vars: Vars, outer?: Scope) {
    this.#vars = vars;
    this.#outer = outer;
  }

  inner(): Scope {
    return new Scope(this.#vars, this);
  }

  get(name: string): unknown {
    if (this.#own.has(name)) return this.#own.get(name);
    if (this.#outer) return this.#outer.get(name);
    return Object.hasOwn(this.#vars, name) ? this.#vars[name] : undefined;
  }

  /** For this scope alone. */
  define(name: string, value: unknown): void {
    this.#own.set(name, value);
  }

  /** Where the name has a value already, or here; a loop does not see that it was set to nothing. */
  set(name: string, value: unknown): void {
    const scope = this.#definer(name) ?? this;
    if (value !== undefined || !scope.#outer || scope.#own.has(name)) scope.#own.set(name, value);
  }

  #definer(name: string): Scope | undefined {
    if (this.#own.get(name) !== undefined) return this;
    return this.#outer === undefined ? undefined : this.#outer.#definer(name);
  }
}
