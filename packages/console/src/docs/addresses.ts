import { exampleAddress } from './code/request.ts';
import { recall, remember } from './remembered.ts';

/** The service that these docs came from, below any path of a proxy. */
export const thisHost = new URL('.', location.href).href.replace(/\/$/, '');

/** The address in the samples. */
export interface ChosenAddress {
  base: string;
}

/** Lets the reader choose the address in the samples: this host, or one that the document names. */
export function offerAddresses(): ChosenAddress {
  const chosen: ChosenAddress = { base: thisHost };
  const list = document.querySelector('.addresses ul');
  const samples = document.querySelector<HTMLElement>('[data-address]');
  if (!list || !samples) return chosen;
  const show = createReplacement(samples, samples.dataset['address'] ?? '');
  removeDefault(list);
  const items = [...list.querySelectorAll<HTMLElement>('[data-base]')];
  const named = items.map((item) => item.dataset['base'] ?? '');
  if (!named.includes(thisHost)) {
    items.unshift(createItem(list, thisHost, 'This host.'));
    named.unshift(thisHost);
  }
  const remembered = recall('address');
  chosen.base = remembered !== undefined && named.includes(remembered) ? remembered : thisHost;
  show(chosen.base);
  if (items.length > 1) items.forEach((item) => makeChoice(item, chosen.base));
  list.addEventListener('change', (event) => {
    chosen.base = (event.target as HTMLInputElement).value;
    show(chosen.base);
    remember('address', chosen.base);
  });
  return chosen;
}

/** The default address of a new service helps only readers without a script: this host is the one that responds. */
function removeDefault(list: Element): void {
  if (thisHost !== exampleAddress) list.querySelector(`[data-base="${exampleAddress}"]`)?.remove();
}

function createItem(list: Element, base: string, description: string): HTMLElement {
  const item = document.createElement('li');
  item.dataset['base'] = base;
  const code = Object.assign(document.createElement('code'), { textContent: `${base}/v1` });
  const help = Object.assign(document.createElement('span'), { className: 'help', textContent: description });
  item.append(code, ' ', help);
  list.prepend(item);
  return item;
}

function makeChoice(item: HTMLElement, chosen: string): void {
  const value = item.dataset['base'] ?? '';
  const radio = Object.assign(document.createElement('input'), {
    type: 'radio',
    name: 'address',
    value,
    checked: value === chosen,
  });
  const label = document.createElement('label');
  label.append(radio, ...item.childNodes);
  item.append(label);
}

/** Replaces an address in all texts. The original texts are kept, so that it can be replaced again. */
function createReplacement(root: HTMLElement, address: string): (base: string) => void {
  const originals: [node: Text, text: string][] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.data.includes(address)) originals.push([node, node.data]);
  }
  return (base) => {
    for (const [node, text] of originals) node.data = text.replaceAll(address, base);
  };
}
