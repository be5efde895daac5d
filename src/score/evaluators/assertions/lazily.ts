import type { Evaluate, EvaluatorKind } from '../evaluator.ts';

/** An evaluation whose code is loaded when it is first asked for; from then on it answers without waiting. */
export function lazily<Kind extends EvaluatorKind>(load: () => Promise<Evaluate<Kind>>): Evaluate<Kind> {
  let loaded: Evaluate<Kind> | undefined;
  let loading: Promise<Evaluate<Kind>> | undefined;
  return (context) => {
    if (loaded) return loaded(context);
    loading ??= load().then((evaluate) => {
      loaded = evaluate;
      return evaluate;
    });
    return loading.then((evaluate) => evaluate(context));
  };
}
