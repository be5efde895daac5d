import type { Case, Scenario } from '../domain/scenario.ts';

/** Finds the cases of a scenario by their ids, quickest when they are asked for in the order of the file. */
export class CaseFinder {
  readonly #cases: AsyncIterator<Case>;
  /** Of a file that was changed since: what was passed over may still be asked for. */
  readonly #passed = new Map<string, Case>();
  #current: Case | undefined;

  constructor(scenario: Pick<Scenario, 'cases'>) {
    this.#cases = scenario.cases()[Symbol.asyncIterator]();
  }

  /** Undefined when there is no such case. */
  async find(caseId: string): Promise<Case | undefined> {
    if (this.#current?.caseId === caseId) return this.#current;
    const passed = this.#passed.get(caseId);
    if (passed) return passed;
    if (this.#current) this.#passed.set(this.#current.caseId, this.#current);
    for (;;) {
      const { value, done } = await this.#cases.next();
      this.#current = done ? undefined : value;
      if (!this.#current || this.#current.caseId === caseId) return this.#current;
      this.#passed.set(this.#current.caseId, this.#current);
    }
  }
}
