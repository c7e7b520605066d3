//! The cases a policy carries: a report in, reasons out.

use crate::evaluate::facts::Input;
use crate::policy::{Policy, Setting};
use crate::run::RuleOutcome;
use crate::verdict::Verdict;
use presight_decode::Decoded;
use presight_wire::Request;
use presight_wire::report::{Entities, Report};

/// A case, ready to be run.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) request: Request,
    pub(crate) decoded: Decoded,
    pub(crate) report: Report,
    /// What the report leaves out.
    pub(crate) unlisted: Entities,
    pub(crate) settings: Vec<(usize, Setting)>,
    /// The verdict's word, when the case names one.
    pub(crate) verdict: Option<String>,
    /// The codes of the reasons in any order, each as often as it is given. Those of facts that were not read stand for
    /// the verdict only.
    pub(crate) reasons: Vec<String>,
}

/// How one case came out.
#[derive(Debug, Clone)]
pub struct CaseOutcome {
    /// The case's name.
    pub name: String,
    /// What differs from what the case expects; empty when nothing does.
    pub differences: Vec<String>,
}

/// How the cases of a policy came out.
#[derive(Debug, Clone)]
pub struct CaseReport {
    /// One for each case, in the order of the file.
    pub cases: Vec<CaseOutcome>,
    /// For each rule, by position: in how many subjects of all cases it fired, did not fire, and depended on facts that
    /// were not read.
    pub rules: Vec<[usize; 3]>,
}

impl CaseReport {
    /// Whether every case came out as it expects.
    pub fn passes(&self) -> bool {
        self.cases.iter().all(|case| case.differences.is_empty())
    }
}

impl Policy {
    /// Runs the cases the policy carries.
    pub fn run_cases(&self) -> CaseReport {
        let mut rules = vec![[0; 3]; self.rules.len()];
        let cases = self.cases.iter().map(|case| {
            let verdict = self.run_case(case, &mut rules);
            CaseOutcome {
                name: case.name.clone(),
                differences: self.differences(case, &verdict),
            }
        });
        let cases = cases.collect();
        CaseReport { cases, rules }
    }

    /// The inputs of the cases, for tests that vary them: request, decoding and report.
    pub fn case_inputs(&self) -> impl Iterator<Item = (&Request, &Decoded, &Report)> {
        self.cases
            .iter()
            .map(|case| (&case.request, &case.decoded, &case.report))
    }

    fn run_case(&self, case: &Case, rules: &mut [[usize; 3]]) -> Verdict {
        let mut policy = self.clone();
        for (index, setting) in &case.settings {
            policy.parameters[*index].value = setting.clone();
        }
        let input = Input::verified(&case.report, &case.unlisted, &case.request, &case.decoded);
        policy.evaluate_and_tell(&input, |rule, outcome| {
            let column = match outcome {
                RuleOutcome::Fired => 0,
                RuleOutcome::Quiet => 1,
                RuleOutcome::Unread => 2,
                RuleOutcome::Failed => return,
            };
            rules[rule][column] += 1;
        })
    }

    fn differences(&self, case: &Case, verdict: &Verdict) -> Vec<String> {
        let mut differences = Vec::new();
        if let Some(expected) = &case.verdict
            && expected != verdict.word()
        {
            differences.push(format!("verdict `{}`, expected `{expected}`", verdict.word()));
        }
        let is_rule = |code: &str| code == "rule-error" || self.rules.iter().any(|rule| rule.code == code);
        let is_not_read = |reason: &crate::Reason| reason.message.starts_with("not read: ");
        let reasons = verdict.reasons().iter().filter(|reason| !is_not_read(reason));
        let mut found: Vec<&str> = reasons
            .map(|reason| reason.code.as_str())
            .filter(|code| is_rule(code))
            .collect();
        let mut expected: Vec<&str> = case.reasons.iter().map(String::as_str).collect();
        found.sort_unstable();
        expected.sort_unstable();
        if found != expected {
            differences.push(format!(
                "reasons [{}], expected [{}]",
                found.join(", "),
                expected.join(", ")
            ));
        }
        differences
    }
}
