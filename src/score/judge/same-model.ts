/** A warning when a model judges its own work. */
export function sameModelWarning(judgeModel: string, testedModel: string | undefined): string | undefined {
  if (testedModel === undefined || bareName(judgeModel) !== bareName(testedModel)) return undefined;
  return `The judge is the model under test (${testedModel}): models prefer their own work`;
}

/** `openai/gpt-4o-2024-08-06` and `gpt-4o` are one model for this purpose. */
function bareName(model: string): string {
  const name = model.toLowerCase().split('/').at(-1) ?? model;
  return name.replace(/[-@:](?:\d{4}-\d{2}-\d{2}|\d{8}|latest)$/, '');
}
