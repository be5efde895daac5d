import type { Variant } from '../../../../domain/trial.ts';

/** What a scenario is tried with; an empty list leaves that part of the variant out. */
export interface Matrix {
  readonly connectors: readonly string[];
  readonly personas: readonly string[];
  readonly models: readonly string[];
}

/** Each connector with each persona and each model, each combination once. */
export function conversationVariants({ connectors, personas, models }: Matrix): Variant[] {
  return parts('connector', connectors).flatMap((connector) =>
    parts('persona', personas).flatMap((persona) =>
      parts('model', models).map((model) => ({ ...connector, ...persona, ...model })),
    ),
  );
}

function parts(key: keyof Variant, names: readonly string[]): readonly Variant[] {
  return names.length > 0 ? [...new Set(names)].map((name) => ({ [key]: name })) : [{}];
}
