import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Pet, PetstoreClient } from '../../../../client/src/index.ts';
import type { Changes } from '../changes/pet-actions.ts';
import { textOf } from '../changes/words.ts';
import { tellProblem } from '../connect.ts';
import { labelOf } from '../draft.ts';
import { PetDetails } from '../pets/pet-details.tsx';
import { dayOf, startOf, tellTime, titleOf } from './day.ts';
import { countSales, isFound, nameOf, renderCsv, type Sale } from './sale.ts';
import { useSales, type SalesView } from './use-sales.ts';

export interface SalesProps {
  client: PetstoreClient;
  /** Such as `2026-11-17`, in the browser's time zone. */
  day: string;
  changes: Changes | undefined;
  onRefused: () => void;
  /** Told beside the search. */
  children: ComponentChildren;
}

/** The sales of one day, newest first. They are read again only on request, so that no row moves under a pointer. */
export function Sales({ client, day, changes, onRefused, children }: SalesProps) {
  const view = useSales(client, day, changes, onRefused);
  const [text, setText] = useState('');
  const [chosenId, setChosenId] = useState<bigint>();
  const chosen = view.sales.find(({ order }) => order.petId === chosenId)?.pet;
  const shown = view.sales.filter((sale) => isFound(sale, text));
  const close = () => {
    focusSale(chosenId);
    setChosenId(undefined);
  };
  return (
    <section class="sales" aria-label="Sales">
      <SheetHead day={day} view={view} shown={shown} />
      <div class="find">
        <div class="search-box">
          <input
            type="search"
            aria-label="Find in this day"
            placeholder="Find in this day by name or id"
            autocomplete="off"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        {!chosen && children}
      </div>
      {view.error !== undefined && (
        <p class="notice" role="alert">
          {tellProblem(view.error)}
        </p>
      )}
      {shown.length > 0 ? (
        <table class="card sheet">
          <thead>
            <tr>
              <th>Time</th>
              <th>Name</th>
              <th class="number">Id</th>
              <th class="number">Category</th>
              <th>Status</th>
              <th>Till</th>
              <td class="actions" />
            </tr>
          </thead>
          <tbody>
            {shown.map((sale) => (
              <SaleRow
                key={sale.order.id.toString()}
                sale={sale}
                day={day}
                canChange={changes !== undefined}
                onOpen={({ id }) => setChosenId(id)}
              />
            ))}
          </tbody>
        </table>
      ) : view.isComplete ? (
        <div class="state card" role="status">
          <h2>{text.trim() === '' ? 'No sales on this day' : `No sales match “${text.trim()}”`}</h2>
          {text.trim() === '' && (
            <p>
              A pet that becomes pending or sold appears here. <a href="#/">Go to the pets</a>
            </p>
          )}
        </div>
      ) : null}
      {chosen && (
        <PetDetails
          key={chosen.id.toString()}
          client={client}
          pet={chosen}
          changes={changes}
          isEditing={false}
          isModal
          onClose={close}
        >
          {children}
        </PetDetails>
      )}
    </section>
  );
}

/** The day, its totals once they are known, and what can be done with the sheet. */
function SheetHead({ day, view, shown }: { day: string; view: SalesView; shown: readonly Sale[] }) {
  const go = (days: number) => {
    location.hash = `#/sales?day=${dayOf(startOf(day, days))}`;
  };
  const { sold, pending, returned } = countSales(view.sales);
  const readAt = view.readAt && tellTime(view.readAt, dayOf(new Date()));
  const save = () => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([renderCsv(shown)], { type: 'text/csv' }));
    link.download = `sales-${day}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <div class="sheet-head">
      <h1>
        <span class="on-paper">Sales, </span>
        {titleOf(day)}
        <span class="on-paper">, {startOf(day).getFullYear()}</span>
      </h1>
      <span class="steps">
        <button type="button" class="plain small" aria-label="The day before" onClick={() => go(-1)}>
          ‹
        </button>
        <button
          type="button"
          class="plain small"
          aria-label="The day after"
          disabled={day >= dayOf(new Date())}
          onClick={() => go(1)}
        >
          ›
        </button>
      </span>
      <p class="total" role="status">
        {view.isComplete ? (
          <>
            <span>
              Sold <b>{sold.toLocaleString('en')}</b>
            </span>
            <span>pending {pending.toLocaleString('en')}</span>
            <span>returned {returned.toLocaleString('en')}</span>
            <span>as of {readAt}</span>
          </>
        ) : (
          view.error === undefined && 'Loading…'
        )}
      </p>
      <span class="steps">
        <button type="button" class="plain small" onClick={view.reload}>
          Reload
        </button>
        <button type="button" class="plain small" disabled={!view.isComplete} onClick={save}>
          CSV
        </button>
        <button type="button" class="plain small" disabled={!view.isComplete} onClick={() => print()}>
          Print
        </button>
      </span>
    </div>
  );
}

interface SaleRowProps {
  sale: Sale;
  day: string;
  canChange: boolean;
  onOpen: (pet: Pet) => void;
}

function SaleRow({ sale, day, canChange, onOpen }: SaleRowProps) {
  const { order, pet, soldBy } = sale;
  const { petId, status, createdAt, createdBy, returnedAt, returnedBy } = order;
  return (
    <tr class="sale" data-pet={petId.toString()}>
      <td class="time">
        <time dateTime={createdAt.toISOString()}>{tellTime(createdAt, day)}</time>
      </td>
      <td class="name">
        <bdi>{nameOf(sale)}</bdi>
      </td>
      <td class="number">
        <span class="label">Id </span>
        {petId.toString()}
      </td>
      <td class="number">
        {pet && <span class="label">Category </span>}
        {pet?.categoryId.toString()}
      </td>
      <td class="status-cell">
        <span class={`status ${returnedAt ? 'returned' : status}`}>{labelOf(status)}</span>
        {returnedAt && (
          <span class="help">
            {' '}
            returned {tellTime(returnedAt, day)}
            {returnedBy !== undefined && `, ${returnedBy}`}
          </span>
        )}
        {soldBy && <span class="help"> sold {tellTime(soldBy.createdAt, day)}</span>}
      </td>
      <td class="by">{createdBy}</td>
      <td class="actions">
        {pet && !returnedAt && (
          <button
            type="button"
            class="small menu-button"
            aria-label={`${canChange ? 'Change' : 'Details of'} ${textOf([pet])}`}
            onClick={() => onOpen(pet)}
          >
            •••
          </button>
        )}
      </td>
    </tr>
  );
}

/** Moves the focus to the actions for a sale of this pet. */
export function focusSale(petId: bigint | undefined): void {
  document.querySelector<HTMLElement>(`.sale[data-pet="${petId}"] button`)?.focus();
}
