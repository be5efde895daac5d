import type { Channel } from '../../domain/capability.ts';

/** Takes note of a channel that an evaluation has read. */
export type ReadRecorder = (channel: Channel) => void;

/**
 * Data of which some fields come from a channel: whatever reads such a field, or whether it is there, leaves a record. An
 * expression may build the names of fields, so its source does not say what it reads.
 */
export function channelView<Data extends object>(
  data: Data,
  channelOf: { readonly [Key in keyof Data]?: Channel },
  record: ReadRecorder,
): Data {
  const note = (key: PropertyKey): void => {
    const channel = Object.hasOwn(channelOf, key) ? channelOf[key as keyof Data] : undefined;
    if (channel) record(channel);
  };
  return new Proxy(data, {
    get(target, key) {
      note(key);
      return Reflect.get(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      note(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys(target) {
      for (const key of Object.keys(channelOf)) note(key);
      return Reflect.ownKeys(target);
    },
  });
}
