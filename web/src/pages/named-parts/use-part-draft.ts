import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { NamedParts } from '../../../../src/entry/server/api/project.ts';
import {
  changedValue,
  type DocumentChange,
  isSameValue,
} from '../../../../src/shared/document-edit/document-change.ts';
import { isRecord } from '../../../../src/shared/json.ts';
import { ApiFailure, api } from '../../data/api.ts';
import { namedPartsQuery, type PartsTopic } from '../../data/project.ts';

interface DraftOptions {
  readonly topic: PartsTopic;
  readonly parts: NamedParts;
  /** Undefined for a new part. */
  readonly part: NamedParts['items'][number] | undefined;
  readonly startValue: Readonly<Record<string, unknown>>;
  /** The page that is shown after the part was created. */
  readonly address: '/personas' | '/connectors';
}

/** A named part while it is edited; it is written into the config when it is saved. */
export function usePartDraft({ topic, parts, part, startValue, address }: DraftOptions) {
  const navigate = useNavigate();
  const writing = useWritePart(topic);
  const [typedName, setName] = useState(part?.name ?? '');
  const [base, setBase] = useState<Record<string, unknown>>(part?.value ?? startValue);
  const [value, setValue] = useState(base);
  const name = typedName.trim();
  const change = (step: DocumentChange): void => {
    const next = changedValue(value, step);
    setValue(isRecord(next) ? next : {});
  };
  const save = async (): Promise<void> => {
    const written = await writing.write(name, value, parts.revision);
    if (written === null) return;
    const saved = written.items.find((item) => item.name === name)?.value ?? value;
    setBase(saved);
    setValue(saved);
    if (part === undefined) await navigate({ to: address, search: { name }, ignoreBlocker: true });
  };
  /** False where the part is still there. */
  const remove = async (): Promise<boolean> => (await writing.remove(typedName, parts.revision)) !== null;
  return {
    typedName,
    setName,
    value,
    change,
    save,
    remove,
    hasName: name !== '',
    isTaken: part === undefined && parts.items.some((item) => item.name === name),
    isUnsaved: (part === undefined && typedName !== '') || !isSameValue(value, base),
    isBusy: writing.isBusy,
    failure: writing.failure,
    hasConflict: writing.hasConflict,
  };
}

export type PartDraft = ReturnType<typeof usePartDraft>;

/** Writes named parts into the config. Null says that nothing was written. */
function useWritePart(topic: PartsTopic) {
  const client = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [hasConflict, setHasConflict] = useState(false);

  const run = async (request: () => Promise<NamedParts>): Promise<NamedParts | null> => {
    setIsBusy(true);
    setFailure(null);
    setHasConflict(false);
    try {
      const parts = await request();
      client.setQueryData(namedPartsQuery(topic).queryKey, parts);
      void client.invalidateQueries({ queryKey: ['settings'] });
      void client.invalidateQueries({ queryKey: ['scenarios'] });
      return parts;
    } catch (error) {
      if (error instanceof ApiFailure && error.code === 'FILE_CONFLICT') {
        await client.refetchQueries({ queryKey: namedPartsQuery(topic).queryKey });
        setHasConflict(true);
      } else setFailure(error);
      return null;
    } finally {
      setIsBusy(false);
    }
  };
  const address = (name: string): string => `/${topic}/${encodeURIComponent(name)}`;
  return {
    isBusy,
    failure,
    hasConflict,
    write: (name: string, value: Readonly<Record<string, unknown>>, revision: string | null) =>
      run(() => api.put<NamedParts>(address(name), { value, revision })),
    remove: (name: string, revision: string | null) => run(() => api.delete<NamedParts>(address(name), { revision })),
  };
}
