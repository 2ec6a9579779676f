// Each colour stands twice where it has a variable: programs that know no variables of CSS take the first
// one.
#include "cli/explain/drawing/drawing.hpp"

namespace fingerpost::cli {

std::string_view drawing_css() {
    return R"(.structure{--paper:#fcfcfa;--card:#fff;--ink:#1b1d21;--quiet:#595c63;--line:#c9cad0;--soft:#ecebe6;--set:#595c63;
--other:#a9abb2;--answer:#0b6b3a;--on-answer:#fff;--on-lit:#fff;--lit:oklch(.5 .16 var(--h));--tint:oklch(.93 .04 var(--h))}
@media(prefers-color-scheme:dark){.structure{--paper:#15161a;--card:#1d1f24;--ink:#ececf0;--quiet:#a6a8b0;--line:#44474f;
--soft:#282a30;--set:#b4b6be;--other:#6a6d76;--answer:#7fe0a8;--on-answer:#000;--on-lit:#000;--lit:oklch(.79 .12 var(--h));
--tint:oklch(.33 .06 var(--h))}}
.structure .lit,.structure .sample,.structure .step-number{--lit:oklch(.5 .16 var(--h));--tint:oklch(.93 .04 var(--h))}
@media(prefers-color-scheme:dark){.structure .lit,.structure .sample,.structure .step-number{--lit:oklch(.79 .12 var(--h));
--tint:oklch(.33 .06 var(--h))}}
.structure text{font:11px system-ui,"DejaVu Sans",sans-serif;fill:#1b1d21;fill:var(--ink);text-anchor:middle}
.structure text.bold{font-weight:700}
.structure text.mono{font-family:ui-monospace,"DejaVu Sans Mono",monospace}
.structure text.small{font:10px ui-monospace,"DejaVu Sans Mono",monospace}
.structure text.head{font-size:15px;font-weight:700}
.structure text.body{font-size:14px}
.structure text.from{text-anchor:start}
.structure text.upto{text-anchor:end}
.structure text.quiet{fill:#595c63;fill:var(--quiet)}
.structure rect{stroke-width:1;rx:2px}
.structure .frame{fill:#fff;fill:var(--card);stroke:#c9cad0;stroke:var(--line);rx:6px}
.structure .slot,.structure .mini{fill:#fff;fill:var(--card);stroke:#c9cad0;stroke:var(--line)}
.structure .bit{fill:#fff;fill:var(--card);stroke:#c9cad0;stroke:var(--line);stroke-width:.6;rx:0}
.structure .bit.set{fill:#595c63;fill:var(--set)}
.structure .mini-set{fill:#595c63;fill:var(--set);rx:0}
.structure .mini-other{fill:#a9abb2;fill:var(--other);rx:0}
.structure .mini-cut,.structure .torn{fill:none;stroke:#595c63;stroke:var(--quiet)}
.structure .torn{stroke-width:2;stroke-dasharray:2 2}
.structure .hatch{fill:none;stroke:#c9cad0;stroke:var(--line)}
.structure .padding text{fill:#595c63;fill:var(--quiet)}
.structure .gap{fill:none;stroke:#c9cad0;stroke:var(--line);stroke-dasharray:3 2}
.structure .empty .slot,.structure .leads .slot{fill:#ecebe6;fill:var(--soft)}
.structure .dot{fill:#fff;fill:var(--card);stroke:#595c63;stroke:var(--quiet);stroke-width:1.3}
.structure rect.dot{fill:#595c63;fill:var(--quiet)}
.structure .edge{fill:none;stroke:#c9cad0;stroke:var(--line);stroke-width:1.2}
.structure .edge.lit{stroke:#5b4bb5;stroke:var(--lit);stroke-width:2.4}
.structure .lit>.frame{stroke:#5b4bb5;stroke:var(--lit);stroke-width:2}
.structure .lit>.dot{fill:#5b4bb5;fill:var(--lit);stroke:#5b4bb5;stroke:var(--lit)}
.structure .lit>.number{fill:#5b4bb5;fill:var(--lit)}
.structure .lit>.slot{fill:#5b4bb5;fill:var(--lit);stroke:#5b4bb5;stroke:var(--lit)}
.structure .lit.cell>text{fill:#fff;fill:var(--on-lit)}
.structure .lit.below>.slot,.structure .lit.above>.slot{fill:#e4e2f5;fill:var(--tint)}
.structure .lit.above>.slot{fill:#fff;fill:var(--card)}
.structure .lit.below>text,.structure .lit.above>text{fill:#1b1d21;fill:var(--ink)}
.structure .bit.lit{fill:#e4e2f5;fill:var(--tint)}
.structure .bit.set.lit{fill:#5b4bb5;fill:var(--lit)}
.structure .at{fill:none;stroke:#5b4bb5;stroke:var(--lit);stroke-width:2.4}
.structure .match{fill:none;stroke:none;stroke-width:2.4}
.structure .sample{--h:290}
.structure .sample.counted{fill:#5b4bb5;fill:var(--lit)}
.structure .match.lit,.structure .match.sample{stroke:#0b6b3a;stroke:var(--answer)}
.structure .badge{fill:#5b4bb5;fill:var(--lit);rx:3px}
.structure text.on-badge{fill:#fff;fill:var(--on-lit)}
.structure .answer>.slot,.structure .answer>.dot{fill:#0b6b3a;fill:var(--answer);stroke:#0b6b3a;stroke:var(--answer)}
.structure .answer.cell>text{fill:#fff;fill:var(--on-answer)}
.structure .answer>text.label{fill:#0b6b3a;fill:var(--answer)}
.structure .page{fill:#fcfcfa;fill:var(--paper);rx:0}
)";
}

} // namespace fingerpost::cli
