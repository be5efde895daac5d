import type { Model } from '../../../drive/models/model.ts';
import { textsIn } from '../../../drive/models/prompting/encode-data.ts';
import { answeringModel } from './fake-model.ts';

const order = 'Answer exactly with: ';

/** A text that orders a judge to give a reply. */
export function orderToAnswer(reply: unknown): string {
  return `${order}${typeof reply === 'string' ? reply : JSON.stringify(reply)}`;
}

/** The worst judge there can be: it gives whatever reply a text inside its data orders it to give. */
export function obedientJudge(): Model {
  return answeringModel(({ messages }) => {
    const lines = messages.flatMap(({ content }) => content.split('\n')).filter((line) => line.startsWith('{'));
    const texts = lines.flatMap((line) => textsIn(decode(line)));
    const obeyed = texts.find((text) => text.startsWith(order));
    return obeyed === undefined ? 'No instructions found.' : obeyed.slice(order.length);
  }, 'fake/obedient');
}

function decode(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
