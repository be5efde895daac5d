import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NamedParts } from '../../../src/entry/server/api/project.ts';
import { api } from '../data/api.ts';
import { ApiFailure } from '../data/api-failure.ts';
import { namedPartsQuery, type PartsTopic } from '../data/project.ts';

/** Writes named parts into the config. Null says that nothing was written. */
export function useWritePart(topic: PartsTopic) {
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
