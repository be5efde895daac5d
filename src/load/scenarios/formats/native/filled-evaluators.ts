import type { Problem } from '../../../../domain/problem.ts';
import type { PartSpec } from '../../../../domain/scenario.ts';
import type { Evaluator } from '../../../../score/evaluators/evaluator.ts';
import { isRecord } from '../../../../shared/json.ts';
import { fillTemplates, type Template, templatesIn } from '../../../../shared/templates.ts';
import type { ParsedSource } from '../../../sources/parsed-source.ts';
import { problemsOf } from '../../../sources/schema-problems.ts';
import { caseValues, unfilledTemplates } from '../case-values.ts';
import { hasTemplateNames } from '../evaluators-section.ts';

interface CaseFields {
  readonly input?: unknown;
}

/** The evaluators of a scenario that calls a tool, with the values of each case in place of `{{name}}`. */
export class FilledEvaluators {
  readonly #evaluators: readonly PartSpec[];
  readonly #kinds: readonly Evaluator[];
  readonly #source: ParsedSource;
  readonly #templates: readonly Template[];

  constructor(evaluators: readonly PartSpec[], kinds: readonly Evaluator[], source: ParsedSource) {
    this.#evaluators = evaluators;
    this.#kinds = kinds;
    this.#source = source;
    const names = new Set(templatesIn(evaluators, []).flatMap(({ name }) => name ?? []));
    const written = isRecord(source.value) ? source.value : {};
    this.#templates = (['evaluators', 'judge'] as const)
      .flatMap((key) => templatesIn(written[key], [key]))
      .filter(({ name }) => name !== undefined && names.has(name));
  }

  /** One list for all cases where no config names a value, so the evaluators are prepared once. */
  for(fields: CaseFields): readonly PartSpec[] {
    if (this.#templates.length === 0) return this.#evaluators;
    return this.#evaluators.map((spec) => {
      const config = this.#schemaOf(spec)?.safeParse(this.#filled(spec, fields));
      return config?.success ? { ...spec, config: config.data } : spec;
    });
  }

  /** Names that a case has no value for, and values that an evaluator cannot use. */
  problemsOf(fields: CaseFields, whose: string): Problem[] {
    if (this.#templates.length === 0) return [];
    const unfilled = unfilledTemplates(this.#templates, caseValues(fields, this.#templates), whose, this.#source);
    if (unfilled.length > 0) return unfilled;
    return this.#evaluators.flatMap((spec, index) => {
      const schema = this.#schemaOf(spec);
      const error = schema?.safeParse(this.#filled(spec, fields)).error;
      return schema && error ? problemsOf(error, this.#source, schema, ['evaluators', index, 'config']) : [];
    });
  }

  /** The schema of a config that names values; it was checked before they were known. */
  #schemaOf({ type, config }: PartSpec): Evaluator['configSchema'] | undefined {
    return hasTemplateNames(config) ? this.#kinds.find((kind) => kind.type === type)?.configSchema : undefined;
  }

  #filled({ config }: PartSpec, fields: CaseFields): unknown {
    return fillTemplates(config, caseValues(fields, this.#templates));
  }
}
