import { AssayError } from '../../domain/errors.ts';
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
  if (current === model) return undefined;
  const configId = textOf(fieldAt(option, 'id'));
  try {
    if (configId === undefined) await peer.request('session/set_model', { sessionId, modelId: model });
    else await peer.request('session/set_config_option', { sessionId, configId, value: model });
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AssayError('AGENT_FAILED', `the agent does not take the model \`${model}\`: ${why}`, {
      hint: `Name one of its own models, such as ${modelsIn(option, offered).slice(0, 5).join(', ')}.`,
    });
  }
}

function modelsIn(option: unknown, offered: unknown): string[] {
  const values = listOf(fieldAt(option, 'options')).map((one) => textOf(fieldAt(one, 'value')));
  const ids = listOf(fieldAt(offered, 'models', 'availableModels')).map((one) => textOf(fieldAt(one, 'modelId')));
  return [...values, ...ids].filter((name) => name !== undefined);
}
