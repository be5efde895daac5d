import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import {
  type Block,
  type Item,
  marks,
  plainWords,
  type Section,
  type Table,
  type Tone,
  type Words,
} from '../../../src/shared/blocks/block.ts';
import { classes } from './classes.ts';
import { Disclosure } from './disclosure.tsx';
import { heatLook } from './heat-scale.tsx';
import { Card } from './page.tsx';
import { type SmallColumn, SmallTable, useFirstOf } from './small-table.tsx';

const tones: Readonly<Record<Tone, string>> = {
  good: 'text-pass',
  bad: 'text-fail',
  unsure: 'text-error',
  strong: 'font-medium',
  quiet: 'text-muted',
};

/** Draws the first cell of a row, which names it. */
type NameOf = (name: string) => ReactNode;

/** A section of the reports as a part of a page. */
export function SectionCard({ section: { title, blocks }, nameOf }: { section: Section; nameOf?: NameOf | undefined }) {
  return (
    <Card title={title === undefined ? undefined : <Text words={title} />} isFlush>
      {blocks.map((block, index) => (
        <BlockView key={`${index} ${block.kind}`} block={block} label={plainWords(title ?? '')} nameOf={nameOf} />
      ))}
    </Card>
  );
}

/** The same, folded; its content is drawn when it is opened. */
export function FoldedSection({ section, isOpen }: { section: Section; isOpen: boolean }) {
  const title = plainWords(section.title ?? '');
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-surface">
      <Disclosure isOpen={isOpen} isWide summary={<Text words={section.title ?? ''} />}>
        <div className="border-t border-line">
          {section.blocks.map((block, index) => (
            <BlockView key={`${index} ${block.kind}`} block={block} label={title} />
          ))}
        </div>
      </Disclosure>
    </section>
  );
}

/** The same within a part of a page; the label names its tables. */
export function SectionBlocks({ section: { title, blocks }, label }: { section: Section; label: string }) {
  return (
    <>
      {title !== undefined && (
        <p className="font-medium">
          <Text words={title} />
        </p>
      )}
      {blocks.map((block, index) => (
        <BlockView key={`${index} ${block.kind}`} block={block} label={label} />
      ))}
    </>
  );
}

function BlockView({ block, label, nameOf }: { block: Block; label: string; nameOf?: NameOf | undefined }) {
  switch (block.kind) {
    case 'text':
      return (
        <p className={classes('px-4 py-2 text-sm', block.tone && tones[block.tone])}>
          <Text words={block.words} />
        </p>
      );
    case 'list':
      return (
        <ul className="flex flex-col gap-1 px-4 py-2 text-sm empty:hidden">
          {block.items.map((item, index) => (
            <li key={`${index} ${plainWords(item.words)}`}>
              <ItemView item={item} />
            </li>
          ))}
        </ul>
      );
    case 'code':
      return <pre className="overflow-x-auto px-4 py-2 text-xs">{block.text}</pre>;
    case 'table':
      return block.rows.length > 0 && <LongTable table={block} label={label} nameOf={nameOf} />;
  }
}

function ItemView({ item: { words, mark, name, tone, below = [], trialId } }: { item: Item }) {
  const [sign, ofSign] = mark === undefined ? ['', undefined] : marks[mark];
  return (
    <>
      <span className={ofSign && tones[ofSign]}>{sign} </span>
      {name !== undefined && <span className="text-muted">{name}: </span>}
      <span className={tone && tones[tone]}>
        <Linked trialId={trialId}>
          <Text words={words} />
        </Linked>
      </span>
      {below.map((line, index) => (
        <p key={`${index} ${plainWords(line)}`} className="pl-4 wrap-break-word">
          <Text words={line} />
        </p>
      ))}
    </>
  );
}

function Text({ words }: { words: Words }) {
  if (typeof words === 'string') return <>{words}</>;
  const parts = words.map((part, index) => {
    if (typeof part === 'string') return part;
    const Element = part.isCode ? 'code' : 'span';
    return (
      <Element key={`${index + 1}`} className={part.tone && tones[part.tone]}>
        {part.text}
      </Element>
    );
  });
  return <>{parts}</>;
}

/** A trial's page; the content alone where there is none. */
function Linked({ trialId, children }: { trialId: string | undefined; children: ReactNode }) {
  if (trialId === undefined) return <>{children}</>;
  return (
    <Link to="/trials/$trialId" params={{ trialId }} className="text-accent hover:underline">
      {children}
    </Link>
  );
}

const shownAtFirst = 12;

/** The first rows of a table, and a button for the rest. */
function LongTable({
  table: { columns, rows },
  label,
  nameOf,
}: {
  table: Table;
  label: string;
  nameOf: NameOf | undefined;
}) {
  const [visible, more] = useFirstOf(rows, shownAtFirst);
  const tableColumns = columns.map(
    ({ head, isFigure = false }, column): SmallColumn<Table['rows'][number]> => ({
      header: capitalized(head),
      isFigure,
      cell: ({ cells, heat = [], trialId }) => {
        const [words, bad] = [cells[column] ?? '', heat[column] ?? null];
        return (
          <span className={classes(bad !== null && `rounded px-1 ${heatLook(1 - bad)}`)}>
            <Linked trialId={column === 0 ? trialId : undefined}>
              {column === 0 && nameOf ? nameOf(plainWords(words)) : <Text words={words} />}
            </Linked>
          </span>
        );
      },
    }),
  );
  return (
    <>
      <SmallTable label={label} columns={tableColumns} rows={visible} isProblem={({ tone }) => tone === 'bad'} />
      {more}
    </>
  );
}

function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
