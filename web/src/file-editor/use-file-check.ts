import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { FileCheck, FileProblem } from '../../../src/entry/server/api/project.ts';
import { fileCheckQuery } from '../data/project.ts';
import type { EditedFile } from './use-edited-file.ts';

const quietMs = 250;

/** What the server says of a text while it is typed. */
export interface CheckedText {
  readonly problems: readonly FileProblem[];
  readonly scenarios: FileCheck['scenarios'];
  /** It says so of the text as it is now. */
  readonly isCurrent: boolean;
}

/** Has the text of a file checked when one has stopped typing for a moment. */
export function useFileCheck({ path, kind, editing: { text, readings }, isLoading }: EditedFile): CheckedText {
  const [asked, setAsked] = useState({ text, readings });
  useEffect(() => {
    const isRead = asked.readings !== readings;
    const timer = setTimeout(() => setAsked({ text, readings }), isRead ? 0 : quietMs);
    return () => clearTimeout(timer);
  }, [text, readings, asked.readings]);
  const isAsked = !isLoading && asked.readings === readings;
  const query = fileCheckQuery(path, kind, asked.text);
  const { data, isPlaceholderData } = useQuery({ ...query, enabled: isAsked });
  return {
    problems: data?.problems ?? noProblems,
    scenarios: data?.scenarios ?? noScenarios,
    isCurrent: data !== undefined && !isPlaceholderData && asked.text === text,
  };
}

const noProblems: readonly FileProblem[] = [];
const noScenarios: FileCheck['scenarios'] = [];
