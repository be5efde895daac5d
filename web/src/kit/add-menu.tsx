import { Popover } from '@base-ui/react/popover';
import { Plus } from 'lucide-react';
import { type KeyboardEvent, type Ref, useRef, useState } from 'react';
import { groupedBy } from '../../../src/shared/grouped-by.ts';
import { buttonLook } from './button.tsx';
import { WithCode } from './code.tsx';
import { popupLook } from './popup-look.ts';
import { TextInput } from './text-input.tsx';

/** One of the things that can be added. */
interface AddChoice {
  readonly key: string;
  readonly label: string;
  /** How files name it. */
  readonly code?: string;
  readonly hint?: string | undefined;
  /** The heading that it stands below. */
  readonly group: string;
}

interface AddMenuProps {
  /** Such as "Add evaluator". */
  readonly label: string;
  readonly choices: readonly AddChoice[];
  readonly onAdd: (key: string) => void;
}

/** A button that opens a list of what can be added, with a search. What is added takes the focus. */
export function AddMenu({ label, choices, onAdd }: AddMenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const add = (key: string): void => {
    setIsOpen(false);
    onAdd(key);
  };
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger className={buttonLook('secondary', 'sm')}>
        <Plus size={13} aria-hidden />
        {label}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} align="end" className="z-50">
          <Popover.Popup
            aria-label={label}
            onKeyDown={(event) => moveFocus(event, list.current)}
            // The added item takes the focus, which would return to the button otherwise.
            finalFocus={false}
            className={`${popupLook} flex max-h-[min(32rem,var(--available-height))] w-[min(26rem,calc(100vw-2rem))] flex-col`}
          >
            <Choices choices={choices} onAdd={add} list={list} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The choices that a search finds, in their groups, with a line about each. */
function Choices({ choices, onAdd, list }: Omit<AddMenuProps, 'label'> & { list: Ref<HTMLDivElement> }) {
  const [text, setText] = useState('');
  const found = choices.filter((choice) => isFound(choice, text));
  return (
    <>
      <TextInput
        aria-label="Search what can be added"
        placeholder="Search …"
        className="shrink-0"
        value={text}
        onChange={setText}
        onKeyDown={(event) => {
          // The field may be ahead of the list: someone who types fast presses Enter before it is drawn again.
          const typed = event.currentTarget.value;
          const first = choices.find((choice) => isFound(choice, typed));
          if (event.key !== 'Enter') return;
          // The key would press what takes the focus next.
          event.preventDefault();
          if (first !== undefined && typed !== '') onAdd(first.key);
        }}
      />
      <div ref={list} className="mt-1 min-h-0 overflow-y-auto">
        {[...groupedBy(found, ({ group }) => group)].map(([title, ofGroup]) => (
          <ChoiceGroup key={title} title={title} choices={ofGroup} onAdd={onAdd} />
        ))}
        {found.length === 0 && <p className="p-2 text-sm text-muted">Nothing matches.</p>}
      </div>
    </>
  );
}

function ChoiceGroup({ title, choices, onAdd }: Omit<AddMenuProps, 'label'> & { title: string }) {
  return (
    <section aria-label={title} className="not-first:mt-1 not-first:border-t not-first:border-line not-first:pt-1">
      <h3 className="px-2 py-1 text-xs font-medium text-muted">{title}</h3>
      <ul>
        {choices.map(({ key, label, code, hint }) => (
          <li key={key}>
            <button
              type="button"
              data-choice
              onClick={() => onAdd(key)}
              className="flex w-full flex-col rounded px-2 py-1.5 text-left text-sm hover:bg-raised focus-visible:bg-raised focus-visible:outline-2 focus-visible:-outline-offset-2"
            >
              <span>
                {label} {code !== undefined && <code className="font-mono text-xs text-muted">{code}</code>}
              </span>
              {hint !== undefined && (
                <span className="text-xs text-muted">
                  <WithCode text={hint} />
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function isFound({ label, code = '', hint = '', group }: AddChoice, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/);
  const all = `${code} ${label} ${hint} ${group}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const choices = [...(list?.querySelectorAll<HTMLElement>('[data-choice]') ?? [])];
  const current = choices.indexOf(document.activeElement as HTMLElement);
  const next = choices[current + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
