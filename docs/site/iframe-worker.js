// Browsers give no worker to a page that was opened from a file. The search asks for one: there it runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.ready = new Promise((done) => this.open(new URL(url, location.href), done));
    }

    open(url, done) {
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = "<body></body>";
      frame.onload = () => {
        const inside = frame.contentWindow;
        let answer = () => {};
        inside.addEventListener = (type, listener) => { if (type === "message") answer = listener; };
        inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        const script = inside.document.createElement("script");
        script.src = url;
        script.onload = () => done((data) => answer({ data }));
        inside.document.body.append(script);
      };
      document.body.append(frame);
    }

    postMessage(data) {
      this.ready.then((ask) => ask(data));
    }
  };
}
