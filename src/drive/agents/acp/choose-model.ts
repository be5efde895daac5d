import { AssayError } from '../../../domain/errors.ts';
import { fieldAt } from '../field-at.ts';
import { listOf, textOf } from '../json-shapes.ts';
import type { JsonRpcPeer } from './json-rpc-peer.ts';

interface ModelChoice {
  readonly peer: JsonRpcPeer;
  readonly sessionId: string;
  /** The answer to `session/new`, which tells what there is to choose from. */
  readonly offered: unknown;
}

/** Has the agent use the model; returns what is to be known when it cannot be told. */
export async function chooseModel(
  model: string,
  { peer, sessionId, offered }: ModelChoice,
): Promise<string | undefined> {
  const options = listOf(fieldAt(offered, 'configOptions'));
  const option = options.find((one) => fieldAt(one, 'category') === 'model' || fieldAt(one, 'id') === 'model');
  const current = fieldAt(option, 'currentValue') ?? fieldAt(offered, 'models', 'currentModelId');
  if (current === undefined) return `the agent does not let its model be chosen, so it may not be \`${model}\``;
  const models = modelsIn(option, offered);
  const value = idOf(model, models);
  if (current === value) return undefined;
  const configId = textOf(fieldAt(option, 'id'));
  try {
    if (configId === undefined) await peer.request('session/set_model', { sessionId, modelId: value });
    else await peer.request('session/set_config_option', { sessionId, configId, value });
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AssayError('AGENT_FAILED', `the agent does not take the model \`${model}\`: ${why}`, {
      hint: `Name one of its own models, such as ${models
        .slice(0, 5)
        .map(({ id }) => id)
        .join(', ')}.`,
    });
  }
}

interface OfferedModel {
  readonly id: string;
  readonly name: string | undefined;
}

/** Some agents have ids of their own for models that people know by name. */
function idOf(model: string, models: readonly OfferedModel[]): string {
  if (models.some(({ id }) => id === model)) return model;
  return models.find(({ name }) => name === model)?.id ?? model;
}

function modelsIn(option: unknown, offered: unknown): OfferedModel[] {
  const values = listOf(fieldAt(option, 'options')).map((one) => offeredModel(one, 'value'));
  const ids = listOf(fieldAt(offered, 'models', 'availableModels')).map((one) => offeredModel(one, 'modelId'));
  return [...values, ...ids].filter((one) => one !== undefined);
}

function offeredModel(one: unknown, idField: string): OfferedModel | undefined {
  const id = textOf(fieldAt(one, idField));
  return id === undefined ? undefined : { id, name: textOf(fieldAt(one, 'name')) };
}
