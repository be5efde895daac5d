import { Combobox } from '@base-ui/react/combobox';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { scenarioListQuery } from '../data/project.ts';
import { runListQuery } from '../data/queries.ts';
import { classes } from '../kit/classes.ts';
import { Dialog } from '../kit/dialog.tsx';
import { popupItemLook } from '../kit/popup-look.ts';
import { inputLook } from '../kit/text-input.tsx';
import { runTitle } from '../pages/runs/run-summary.tsx';
import { places } from './navigation.tsx';

/** Something to go to. */
interface Destination {
  readonly key: string;
  readonly label: string;
  readonly hint: string;
  readonly address: string;
}

const mostOfAKind = 8;

/** Goes to any page, run or scenario by a part of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const found = useDestinations(useDeferredValue(text.trim()));
  const go = (destination: Destination | null): void => {
    if (!destination) return;
    onClose();
    void navigate({ to: destination.address });
  };
  return (
    <Dialog title="Go to" isOpen onClose={onClose}>
      <Combobox.Root
        items={found}
        filter={null}
        inline
        open
        autoHighlight
        itemToStringLabel={({ label }: Destination) => label}
        onValueChange={go}
        inputValue={text}
        onInputValueChange={setText}
      >
        <Combobox.Input
          aria-label="Page, run or scenario"
          placeholder="Page, run or scenario"
          autoFocus
          className={classes(inputLook, 'h-9 w-full')}
        />
        <Combobox.Empty className="text-muted not-empty:py-3">Nothing has this name.</Combobox.Empty>
        <Combobox.List className="mt-2 max-h-80 overflow-y-auto">
          {(item: Destination) => (
            <Combobox.Item key={item.key} value={item} className={popupItemLook}>
              <span className="col-span-2 flex min-w-0 items-baseline justify-between gap-3">
                <span className="truncate">{item.label}</span>
                <span className="shrink-0 text-xs text-muted">{item.hint}</span>
              </span>
            </Combobox.Item>
          )}
        </Combobox.List>
      </Combobox.Root>
    </Dialog>
  );
}

function useDestinations(text: string): readonly Destination[] {
  const runs = useInfiniteQuery(runListQuery(text === '' ? {} : { text })).data?.pages[0]?.items ?? [];
  const scenarios = useQuery(scenarioListQuery()).data?.items ?? [];
  const has = (name: string): boolean => name.toLowerCase().includes(text.toLowerCase());
  return [
    ...places
      .filter(({ label }) => has(label))
      .map(({ to, label }) => ({ key: `page ${to}`, label, hint: 'page', address: to })),
    ...runs.slice(0, mostOfAKind).map((run) => ({
      key: `run ${run.runId}`,
      label: runTitle(run),
      hint: run.runId,
      address: `/runs/${encodeURIComponent(run.runId)}`,
    })),
    ...scenarios
      .filter(({ name, file }) => text !== '' && (has(name) || has(file)))
      .slice(0, mostOfAKind)
      .map(({ name, file }) => ({
        key: `scenario ${file} ${name}`,
        label: name,
        hint: file,
        address: `/scenarios/edit?file=${encodeURIComponent(file)}`,
      })),
  ];
}
